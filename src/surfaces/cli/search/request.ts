import { CONTENT_CONTEXT_MAX, CONTENT_RESULTS_MAX, CONTENT_TIMEOUT_MAX_MS, type ContentSearchRequest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { parseSeconds, parseWhole } from '../text/values.ts';

export interface SearchFlags {
  readonly ignoreCase?: boolean;
  readonly caseSensitive?: boolean;
  readonly smartCase?: boolean;
  readonly fixedStrings?: boolean;
  readonly wordRegexp?: boolean;
  readonly hidden?: boolean;
  readonly follow?: boolean;
  /** False for `--no-ignore`. */
  readonly ignore: boolean;
  readonly glob?: readonly string[];
  readonly context?: string;
  readonly maxResults?: string;
  readonly timeout: string;
  readonly fuzzy?: string;
  readonly backend?: 'ugrep' | 'rg';
  readonly stats?: boolean;
}

/** The request that a command line means. Throws WritError INVALID_ARGUMENT naming the option. */
export function requestOf(pattern: string, path: string | undefined, flags: SearchFlags): ContentSearchRequest {
  const { glob, context, fuzzy, maxResults } = flags;
  const letters = caseOf(flags);
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  if (timeoutMs < 1 || timeoutMs > CONTENT_TIMEOUT_MAX_MS) throw new WritError('INVALID_ARGUMENT', '--timeout must be from 1s to 10m', { field: '--timeout' });
  return {
    pattern,
    ...(path === undefined ? {} : { path }),
    ...(letters === undefined ? {} : { case: letters }),
    ...(flags.fixedStrings ? { fixed_strings: true } : {}),
    ...(flags.wordRegexp ? { word_regexp: true } : {}),
    ...(flags.hidden ? { hidden: true } : {}),
    ...(flags.follow ? { follow: true } : {}),
    ...(flags.ignore ? {} : { no_ignore: true }),
    ...(glob === undefined ? {} : { glob: [...glob] }),
    ...(context === undefined ? {} : { context: parseWhole(context, '--context', { min: 0, max: CONTENT_CONTEXT_MAX }) }),
    ...(fuzzy === undefined ? {} : { fuzzy: parseWhole(fuzzy, '--fuzzy', { min: 1, max: 4 }) }),
    max_results: maxResults === undefined ? CONTENT_RESULTS_MAX : parseWhole(maxResults, '--max-results', { min: 1, max: CONTENT_RESULTS_MAX }),
    timeout_ms: timeoutMs,
  };
}

function caseOf({ ignoreCase, caseSensitive, smartCase }: SearchFlags): ContentSearchRequest['case'] {
  const asked = [ignoreCase && 'insensitive', caseSensitive && 'sensitive', smartCase && 'smart'].filter((letters) => typeof letters === 'string');
  if (asked.length > 1)
    throw new WritError('INVALID_ARGUMENT', '--ignore-case, --case-sensitive and --smart-case exclude each other', { field: '--ignore-case' });
  return asked[0] as ContentSearchRequest['case'];
}

/** Where a search starts, and how the paths of its answer become paths as the user would write them. */
export interface SearchBase {
  /** Absolute; relative paths of the tool start here. */
  readonly workingDirectory: string;
  /** The path of the request. */
  readonly path: string | undefined;
  /**
   * @param eventPath  a path of the answer, or a line that begins with one
   * @param answerPath `path` of the answer: `.` when the place itself is a directory
   */
  shown(eventPath: string, answerPath: string): string;
}

/**
 * The tool takes no `..`, so that a path like `../src` is `src` seen from the directory above: that directory's ignore
 * files count, as those of the current directory do for a path below it. A `..` after another name depends on whether that
 * name is a link: then the place is named absolutely.
 *
 * @param cwd the current directory, absolute and without links
 * @param realPath where an absolute path really lies; itself when that cannot be told
 */
export function searchBaseOf(typed: string | undefined, cwd: string, realPath: (path: string) => string): SearchBase {
  if (typed === undefined) return { workingDirectory: cwd, path: undefined, shown: (eventPath) => eventPath };
  if (typed.startsWith('/') && !hasParent(typed)) return absoluteSearchBase(typed, typed, cwd);
  const { ups, rest } = climb(typed.split('/'));
  if (typed.startsWith('/') || rest.includes('..')) return absoluteSearchBase(realPath(typed.startsWith('/') ? typed : `${cwd}/${typed}`), typed, cwd);
  const workingDirectory = above(cwd, ups);
  const path = rest.join('/');
  // `.` and `./a` are shown as they were written, as other programs of this kind do.
  const prefix = ups > 0 ? '../'.repeat(ups) : typed === '.' || typed.startsWith('./') ? './' : '';
  // A path through a link is told as where it leads, and shown as it was written.
  const isAsWritten = (answerPath: string): boolean => path === '' || answerPath === path;
  return {
    workingDirectory,
    path: path === '' ? undefined : path,
    shown: (eventPath, answerPath) => prefix + (isAsWritten(answerPath) ? eventPath : besideWritten(path, eventPath, answerPath)),
  };
}

function hasParent(path: string): boolean {
  return path.split('/').includes('..');
}

function absoluteSearchBase(path: string, typed: string, cwd: string): SearchBase {
  return { workingDirectory: cwd, path, shown: (eventPath, answerPath) => besideWritten(typed, eventPath, answerPath) };
}

/** What an answer says of a place that it calls by another name than whoever wrote it; what does not begin with that name stays as it is. */
function besideWritten(written: string, eventPath: string, answerPath: string): string {
  if (answerPath === '.') return (written.endsWith('/') ? written : `${written}/`) + eventPath;
  return eventPath.startsWith(answerPath) ? written.replace(/\/+$/, '') + eventPath.slice(answerPath.length) : eventPath;
}

/** How many directories a relative path goes up before anything else, and what follows. */
function climb(parts: readonly string[]): { readonly ups: number; readonly rest: readonly string[] } {
  const named = parts.filter((part) => part !== '' && part !== '.');
  const ups = named.findIndex((part) => part !== '..');
  return ups === -1 ? { ups: named.length, rest: [] } : { ups, rest: named.slice(ups) };
}

function above(directory: string, ups: number): string {
  const parts = directory.split('/').filter((part) => part !== '');
  return `/${parts.slice(0, Math.max(0, parts.length - ups)).join('/')}`;
}
