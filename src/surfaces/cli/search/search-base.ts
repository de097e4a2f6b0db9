/** Where a search starts, and how the paths of its answer become paths as the user would write them. */
export interface SearchBase {
  /** Absolute; relative paths of the tool start here. */
  readonly workingDirectory: string;
  /** The path of the request. */
  readonly path: string | undefined;
  /** @param answerPath `path` of the answer: `.` when the place itself is a directory */
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
  return { workingDirectory, path: path === '' ? undefined : path, shown: (eventPath) => prefix + eventPath };
}

function hasParent(path: string): boolean {
  return path.split('/').includes('..');
}

function absoluteSearchBase(path: string, typed: string, cwd: string): SearchBase {
  const directory = typed.endsWith('/') ? typed : `${typed}/`;
  return {
    workingDirectory: cwd,
    path,
    // Paths are relative to the directory; a file is the only one that there is.
    shown: (eventPath, answerPath) => (answerPath === '.' ? directory + eventPath : typed),
  };
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
