import { ReadStream, WriteStream } from 'node:tty';
import { WritError } from '../../../core/errors.ts';
import { withOptionalPackages } from '../../../core/optional-packages.ts';
import { viewerOf } from '../../shared/messages/viewer.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { holderOfKey } from '../key-file.ts';

const EXAMPLES = `
A screen for searching the messages of this data directory: query, results, the message itself, and facets. The keys stand
at the bottom; "?" shows all. A click selects and the wheel scrolls; with Shift the terminal selects text. It works over SSH and in tmux, from 40 columns and 12 lines on.

Examples:
  writ tui                       the newest messages
  writ tui database locked       begins with these words
  writ tui '/search?q=deploy&imp=urgent'   a link, as the key y shows it`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('tui [words...]')
    .description('search the messages of agents on a screen')
    .option('--no-mouse', 'leave clicks and the wheel to the terminal')
    .option('--key <file>', 'search as the holder of this API key: only what it is bound to')
    .addHelpText('after', EXAMPLES)
    .action(command<[readonly string[] | undefined], TuiFlags>(deps, exit, runTuiCommand));
};

interface TuiFlags {
  readonly key?: string;
  readonly mouse: boolean;
}

/** `writ tui`: the screen of message search. Whoever may read the data directory may see every message, and fewer with `--key`. */
async function runTuiCommand(context: CommandContext, { key, mouse }: TuiFlags, words: readonly string[] = []): Promise<number> {
  const { stdin, stdout } = context.io;
  if (!(stdin instanceof ReadStream) || !(stdout instanceof WriteStream)) {
    throw new WritError('INVALID_ARGUMENT', 'a screen needs a terminal for input and output; without one, use: writ messages search');
  }
  const { NO_FACETS } = await import('../../tui/model/facets.ts');
  const { askedBy } = await import('../../tui/model/link.ts');
  const services = await context.services();
  const viewer = key === undefined ? null : viewerOf(await holderOfKey(key, services));
  const search = await services.messageSearch();
  services.watched();
  // Drawing is loaded by nobody else, and takes longer than most commands.
  const { runTui } = await withOptionalPackages('screen', 'writ tui', () => import('../../tui/run.ts'));
  await runTui({
    services: { search: (query) => search.search(query, viewer), places: () => services.projectsAndProducts(viewer), shelf: services.screenShelf },
    stdin,
    stdout,
    ...(askedBy(words.join(' ')) ?? { text: words.join(' '), facets: NO_FACETS }),
    now: context.clock.now,
    mouse,
    colours: context.io.hasColours(),
    signal: context.interrupted(),
  });
  return 0;
}
