import type { ContentSearchAnswer, ContentSearchRequest } from '../../../contracts/index.ts';
import { isWritError, messageOf, WritError } from '../../../core/errors.ts';
import type { Call } from '../command.ts';
import { COLOURED, PLAIN } from '../search/colours.ts';
import { literalPieces } from '../search/literal.ts';
import { renderEvents } from '../search/render.ts';
import { requestOf, type SearchFlags } from '../search/request.ts';
import { type Place, placeOf } from '../search/search-base.ts';
import { pairs } from '../text/table.ts';

export type { SearchFlags } from '../search/request.ts';

/** `writ search`: one search with the user's own rights. Exit codes as grep's: 0 a match, 1 none, 2 an error. */
export async function runContentSearch(call: Call, flags: SearchFlags, pattern: string, path: string | undefined): Promise<number> {
  const { contentSearch } = call;
  const place = placeOf(path, contentSearch.cwd(), contentSearch.realPath);
  const request = requestOf(pattern, place.path, flags);
  const answer = await found(call, flags, place, request);
  if (call.output.json) await call.output.line(answer);
  else await show(call, answer, request, place);
  tell(call, answer, place, flags);
  return exitOf(answer);
}

/** @throws WritError BadArgs, ExecutionFailed, INVALID_CONFIG; nothing else, so that every error exits with 2 */
async function found(call: Call, { backend, stats }: SearchFlags, place: Place, request: ContentSearchRequest): Promise<ContentSearchAnswer> {
  const { workingDirectory } = place;
  const wish = { workingDirectory, backend, stats: stats === true, fuzzy: request.fuzzy !== undefined, indexed: indexedBy(call, place, request) };
  try {
    const tool = await call.contentSearch.open(call.options, wish);
    // Nobody stops it from here: Ctrl-C ends this process, and with it the backends.
    const outcome = await tool.search(request, new AbortController().signal);
    if (outcome.ok) return outcome.answer;
    const { code, field, message } = outcome.error;
    throw new WritError(code, message, field === undefined ? {} : { field });
  } catch (error) {
    throw isWritError(error) ? error : new WritError('ExecutionFailed', messageOf(error), { cause: error });
  }
}

/** An index knows the files of a plain search from its own directory (docs/search-index.md). */
function indexedBy({ contentSearch }: Call, { workingDirectory, path }: Place, request: ContentSearchRequest): string | undefined {
  const { hidden, follow, no_ignore: noIgnore } = request;
  if (hidden === true || follow === true || noIgnore === true) return undefined;
  return path?.startsWith('/') ? contentSearch.realPath(path) : workingDirectory;
}

async function show({ contentSearch, io, output }: Call, answer: ContentSearchAnswer, request: ContentSearchRequest, place: Place): Promise<void> {
  const look = {
    paint: contentSearch.colour() ? COLOURED : PLAIN,
    terminal: io.stdout.isTTY === true,
    context: (request.context ?? 0) > 0,
    shownPath: (eventPath: string) => place.shown(eventPath, answer.path),
    pieces: literalPieces(request),
  };
  let piece: string[] = [];
  let length = 0;
  for (const line of renderEvents(answer.matches, look)) {
    piece.push(line);
    length += line.length;
    if (length < PIECE_LENGTH) continue;
    await output.text(piece.join('\n'));
    piece = [];
    length = 0;
  }
  if (piece.length > 0) await output.text(piece.join('\n'));
}

/** Characters that are written at a time. */
const PIECE_LENGTH = 65_536;

/** What a person should know beside the matches, on stderr. */
function tell({ output }: Call, answer: ContentSearchAnswer, place: Place, flags: SearchFlags): void {
  for (const line of (answer.stderr ?? '').split('\n').filter((text) => text !== '')) output.note(`writ: ${place.shown(line, '.')}`);
  if (answer.timed_out) output.note(`writ: the time was up (--timeout ${flags.timeout}): there may be more`);
  else if (answer.truncated) output.note(`writ: there are more lines than these ${answer.count}`);
  if (answer.stats !== undefined && !output.json) output.note(pairs(Object.entries(answer.stats).map(([name, value]) => [name, String(value)])));
}

/** Without a match and with files that could not be searched, or with no time left, nobody knows that there is none. */
function exitOf({ matches, exit_code: code, timed_out: late }: ContentSearchAnswer): number {
  if (matches.some(({ type }) => type === 'match')) return 0;
  return late || code === 2 ? 2 : 1;
}
