import { ReadStream, WriteStream } from 'node:tty';
import { WritError } from '../../../core/errors.ts';
import { NO_FACETS } from '../../tui/model/facets.ts';
import { askedBy } from '../../tui/model/link.ts';
import type { Call } from '../command.ts';

/** `writ tui`: the screen of message search. Whoever may read the data directory may see every message. */
export async function runTuiCommand(call: Call, _flags: object, words: readonly string[] = []): Promise<number> {
  const { stdin, stdout } = call.io;
  if (!(stdin instanceof ReadStream) || !(stdout instanceof WriteStream)) {
    throw new WritError('INVALID_ARGUMENT', 'a screen needs a terminal for input and output; without one, use: writ messages search');
  }
  const services = await call.services();
  const search = await services.messageSearch();
  services.watched();
  // Drawing is loaded by nobody else, and takes longer than most commands.
  const { runTui } = await import('../../tui/run.ts');
  await runTui({
    door: { search: (query) => search.search(query, null), places: () => services.messagePlaces(), shelf: services.screenShelf },
    stdin,
    stdout,
    ...(askedBy(words.join(' ')) ?? { text: words.join(' '), facets: NO_FACETS }),
    now: call.clock.now,
    signal: call.interrupted(),
  });
  return 0;
}
