import type { BackendDialect, BackendKind, BackendQuery } from '../../core/ports/index.ts';
import { withoutCarriageReturns } from './carriage-returns.ts';

/** What both backends call a file that they get by descriptor. */
export const STDIN_NAME = '<stdin>';

/**
 * What each backend is told (local-search-index.md 8 and G). Both get the same job: text in, one record `PATH NUL LINE
 * (:|-) text LF` for each line out, files in the order of the arguments.
 *
 * Measured with ugrep 3.11.2, ripgrep 13.0.0 and 15.0.0 on files with NUL, invalid UTF-8, CR, CRLF, BOMs, no final line
 * end, no content, escapes and odd names (test/integration/content-search/backends.test.ts repeats it):
 * - The two ripgreps answer alike. ugrep answers like them for literals and plain expressions, context and empty lines
 *   included. A line without an end gets one; CR stays in the text; a file in UTF-16 with BOM comes as UTF-8.
 * - `-a` on both: a NUL is a byte of its line. Without it ugrep says "Binary file matches" and ripgrep splits lines there.
 * - `-Y` for expressions makes ugrep match the empty string (`x*`), as ripgrep does.
 * - `--no-mmap`: a file that shrinks while it is mapped ends the process by SIGBUS.
 * - Of a line whose match stands far behind its beginning ugrep prints what is left in its buffer, unless it was asked for
 *   context; `-b` tells where in the file the match stands (run/line-starts.ts).
 * - ugrep takes a carriage return in a pattern for a line end (carriage-returns.ts).
 * - `-m K` with context differs behind the K-th match only; K is one more than the most events, so nobody sees it.
 * - `-` is standard input. ripgrep calls it `<stdin>`; ugrep is told to, by `--label`.
 * - The locale changes nothing in either.
 * Where they differ, they are left to: see docs/search-backends.md.
 */
export const DIALECTS = {
  ugrep: {
    kind: 'ugrep',
    version: /ugrep\s+(\d+)\.(\d+)(?:\.(\d+))?/,
    oldest: [3, 0, 0],
    options: (asked) => ugrepOptions(withoutCarriageReturns(asked)),
  },
  rg: {
    kind: 'rg',
    version: /ripgrep\s+(\d+)\.(\d+)(?:\.(\d+))?/,
    oldest: [13, 0, 0],
    options: (query) => [
      ...['--no-config', '--color=never', '--no-heading', '-a', '-n', '-H', '-0', '--no-context-separator', '--no-mmap', '-j1'],
      ...(query.fixedStrings ? ['-F'] : []),
      ...common(query),
    ],
  },
} as const satisfies Record<BackendKind, BackendDialect>;

function ugrepOptions(query: BackendQuery): readonly string[] {
  return [
    ...['-a', '-n', '-H', '-0', '-J1', '--color=never', '--no-group-separator', '--no-mmap', `--label=${STDIN_NAME}`],
    ...(query.fixedStrings ? ['-F'] : query.fuzzy === 0 ? ['-Y'] : []),
    ...(query.fuzzy === 0 ? [] : [`-Z${query.fuzzy}`]),
    ...(query.offsets === true ? ['-b'] : []),
    ...common(query),
  ];
}

/** Options that both call the same. */
function common({ ignoreCase, wordRegexp, context, maxCount, pattern }: BackendQuery): readonly string[] {
  return [...(ignoreCase ? ['-i'] : []), ...(wordRegexp ? ['-w'] : []), ...(context > 0 ? ['-C', String(context)] : []), '-m', String(maxCount), '-e', pattern];
}

/** Letters, digits and blanks mean themselves in every backend, so that nobody needs to be asked whether the pattern is one. */
const SURELY_PLAIN = /^[\p{L}\p{N} _,;:'"#%&=<>@!~`/-]{1,256}$/u;

/** Whether no backend can refuse the pattern. */
export function isSurelyAPattern({ pattern, fixedStrings }: BackendQuery): boolean {
  return fixedStrings ? pattern.length <= 4096 : SURELY_PLAIN.test(pattern);
}

/** How a backend words what it cannot do. */
interface Wording {
  /** A file that it could not read; the path as it was given, and the reason of the system. */
  readonly file: RegExp;
  /** The reason in a message about the pattern. */
  readonly pattern: RegExp;
  /** What stands in front of each message. */
  readonly prefix: RegExp;
}

/**
 * Measured: ugrep `ugrep: warning: ./f: No such file or directory`, and for patterns a picture of the place with
 * `\___reason` beneath it. ripgrep `rg: ./f: IO error for operation on ./f: No such file or directory (os error 2)`,
 * `rg: ./f: Permission denied (os error 13)`, and for patterns a picture and `error: reason`, or one sentence; version 13
 * without `rg: `.
 */
const WORDING: Readonly<Record<BackendKind, Wording>> = {
  ugrep: {
    file: /^(?:ugrep: )?warning: (?:cannot (?:open|read) )?\.\/(?<path>.+?): (?<reason>[^:]+)$/,
    pattern: /\\___(?<reason>[^\n]+)/,
    prefix: /^ugrep: (?:error: )?/,
  },
  rg: {
    file: /^(?:rg: )?\.\/(?<path>.+?): (?:IO error for operation on .+: )?(?<reason>[^:(]+?) \(os error \d+\)$/,
    pattern: /^error: (?<reason>[^\n]+)/m,
    prefix: /^rg: /,
  },
};

/** A file that a backend says it could not read. */
interface FileComplaint {
  readonly path: string;
  readonly reason: string;
}

/** The files that a backend complained about, in its order. Names with line ends are not found: `complaintAbout` looks for one. */
export function fileComplaints(kind: BackendKind, stderr: string): readonly FileComplaint[] {
  return stderr.split('\n').flatMap((line) => {
    const { path, reason } = WORDING[kind].file.exec(line)?.groups ?? {};
    return path === undefined || reason === undefined ? [] : [{ path, reason }];
  });
}

/** What a backend said of this one file, whatever its name is like; `undefined`: nothing. */
export function complaintAbout(path: string, stderr: string): string | undefined {
  const named = `./${path}: `;
  // Some messages name the file twice; the reason follows the last.
  const at = stderr.lastIndexOf(named);
  if (at < 0) return undefined;
  return stderr
    .slice(at + named.length)
    .split('\n')[0]
    ?.replace(/ \(os error \d+\)$/, '');
}

const REASON_MAX = 200;

/** Why a backend refuses a pattern, in its words and short: `mismatched ( )`, `unclosed group`. */
export function patternRefusal(kind: BackendKind, stderr: string): string {
  const { pattern, prefix } = WORDING[kind];
  const firstLine = stderr.trim().split('\n')[0] ?? '';
  const reason = (pattern.exec(stderr)?.groups?.['reason'] ?? firstLine.replace(prefix, '')).trim();
  return reason === '' ? 'no reason given' : reason.slice(0, REASON_MAX);
}
