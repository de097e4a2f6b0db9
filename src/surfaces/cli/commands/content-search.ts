import { Option } from 'commander';
import type { ContentSearchAnswer, ContentSearchRequest } from '../../../contracts/index.ts';
import { isWritError, messageOf, WritError } from '../../../core/errors.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import type { SearchBase, SearchFlags } from '../search/request.ts';
import { pairs } from '../text/table.ts';

const MORE = `
The files are searched with your own rights, below the current directory unless a path is given; no server is needed.
<pattern> is a regular expression of the backend (ugrep, else ripgrep). Hidden files, and those that .gitignore, .ignore and
git's own exclude files name, are left out. On a terminal the matches of a file stand under its name; elsewhere each line is
path:line:text.

Examples:
  writ search struct src            in src
  writ search -F 'a.b(' -g '*.ts'   literally, in TypeScript files
  writ search -i -C 2 todo ../lib   in any case, with two lines around
  writ search -- -x                 a pattern that begins with "-"

Exits 0 with a match, 1 without one, 2 when something went wrong.`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('search <pattern> [path]')
    .description('search the contents of files')
    .option('-i, --ignore-case', 'letters match in any case')
    .option('-s, --case-sensitive', 'letters match as they are')
    .option('-S, --smart-case', 'in any case unless the pattern has an upper-case letter, or none at all (this is the default)')
    .option('-F, --fixed-strings', 'the pattern is literal text')
    .option('-w, --word-regexp', 'only whole words match')
    .option('-., --hidden', 'search hidden files and directories too')
    .option('-L, --follow', 'follow symbolic links')
    .option('--no-ignore', 'do not regard ignore files')
    .addOption(
      new Option('-g, --glob <glob>', 'only files whose path matches; with "!" in front, only those whose path does not; may be repeated').argParser(collect),
    )
    .option('-C, --context <n>', 'show so many lines before and after each match')
    .option('-m, --max-results <n>', 'stop after so many lines, matches and context together')
    .option('--timeout <time>', 'stop after so long, e.g. 5s or 2m', '10m')
    .option('--fuzzy <n>', 'match approximately: forgive 1 to 4 edits (ugrep only)')
    .addOption(new Option('--backend <name>', 'search with this program').choices(['ugrep', 'rg']))
    .option('--stats', 'say how it was searched')
    .addHelpText('after', MORE)
    .action(command<[string, string | undefined], SearchFlags>(deps, exit, runContentSearch));
};

function collect(glob: string, before: readonly string[] = []): readonly string[] {
  return [...before, glob];
}

/** `writ search`: one search with the user's own rights. Exit codes as grep's: 0 a match, 1 none, 2 an error. */
async function runContentSearch(context: CommandContext, flags: SearchFlags, pattern: string, path: string | undefined): Promise<number> {
  const { requestOf, searchBaseOf } = await import('../search/request.ts');
  const base = searchBaseOf(path, context.io.cwd(), context.io.realPath);
  const request = requestOf(pattern, base.path, flags);
  const answer = await search(context, flags, base, request);
  if (context.output.json) await context.output.line(answer);
  else await show(context, answer, request, base);
  tell(context, answer, base, flags);
  return exitOf(answer);
}

/** @throws WritError BadArgs, ExecutionFailed, INVALID_CONFIG; nothing else, so that every error exits with 2 */
async function search(context: CommandContext, { backend, stats }: SearchFlags, base: SearchBase, request: ContentSearchRequest): Promise<ContentSearchAnswer> {
  const { workingDirectory } = base;
  const setup = { workingDirectory, backend, stats: stats === true, fuzzy: request.fuzzy !== undefined, indexed: indexedBy(context, base, request) };
  try {
    const tool = await context.openContentSearch(context.options, setup);
    // Ctrl-C ends this process, and with it the backends; the resident process hears that nobody waits.
    const outcome = await tool.search(request, context.gone ?? new AbortController().signal);
    if (outcome.ok) return outcome.answer;
    const { code, field, message } = outcome.error;
    throw new WritError(code, message, field === undefined ? {} : { field });
  } catch (error) {
    throw isWritError(error) ? error : new WritError('ExecutionFailed', messageOf(error), { cause: error });
  }
}

/** An index knows the files of a plain search from its own directory (docs/search-index.md). */
function indexedBy({ io }: CommandContext, { workingDirectory, path }: SearchBase, request: ContentSearchRequest): string | undefined {
  const { hidden, follow, no_ignore: noIgnore } = request;
  if (hidden === true || follow === true || noIgnore === true) return undefined;
  return path?.startsWith('/') ? io.realPath(path) : workingDirectory;
}

async function show({ io, output }: CommandContext, answer: ContentSearchAnswer, request: ContentSearchRequest, base: SearchBase): Promise<void> {
  const { COLOURED, PLAIN, renderEvents } = await import('../search/render.ts');
  const { literalPieces } = await import('../search/literal.ts');
  const look = {
    paint: io.hasColours() ? COLOURED : PLAIN,
    terminal: io.stdout.isTTY === true,
    context: (request.context ?? 0) > 0,
    shownPath: (eventPath: string) => base.shown(eventPath, answer.path),
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
function tell({ output }: CommandContext, answer: ContentSearchAnswer, base: SearchBase, flags: SearchFlags): void {
  for (const line of (answer.stderr ?? '').split('\n').filter((text) => text !== '')) output.note(`writ: ${base.shown(line, answer.path)}`);
  if (answer.timed_out) output.note(`writ: the time was up (--timeout ${flags.timeout}): there may be more`);
  else if (answer.truncated) output.note(`writ: there are more lines than these ${answer.count}`);
  if (answer.stats !== undefined && !output.json) output.note(pairs(Object.entries(answer.stats).map(([name, value]) => [name, String(value)])));
}

/** Without a match and with files that could not be searched, or with no time left, nobody knows that there is none. */
function exitOf({ exit_code: code, timed_out: late }: ContentSearchAnswer): number {
  if (code === 0) return 0;
  return late || code === 2 ? 2 : 1;
}
