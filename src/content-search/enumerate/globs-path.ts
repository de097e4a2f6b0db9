import { enterGlobs, type Globs, globsAdmit } from './globs.ts';

/**
 * Tells of a file, by its path relative to the order root, whether a walk with these globs would come to it: each directory
 * on the way from the directory that is searched, and the file, are let in. Directories are looked at once.
 *
 * @param start what is searched, relative to the order root: it and what is above it are exempt, as they are for a walk
 */
export function globFilter(globs: Globs, start: string): (path: string) => boolean {
  if (globs.none) return () => true;
  const known = new Map<string, Globs | null>([['', globs]]);
  const above = start === '' ? [] : start.split('/');
  for (const depth of above.keys()) {
    const directory = above.slice(0, depth).join('/');
    known.set(above.slice(0, depth + 1).join('/'), enterGlobs(known.get(directory) ?? globs, above[depth] ?? ''));
  }

  /** The globs in a directory; null for one that the walk does not enter. */
  const globsIn = (directory: string): Globs | null => {
    const before = known.get(directory);
    if (before !== undefined) return before;
    const { parent, name } = split(directory);
    const there = globsIn(parent);
    const entered = there !== null && globsAdmit(there, name, true) ? enterGlobs(there, name) : null;
    known.set(directory, entered);
    return entered;
  };

  // Paths come in order, so most are in the directory of the one before.
  let [last, there] = ['', globsIn('')];
  return (path) => {
    const slash = path.lastIndexOf('/');
    if (slash === -1 ? last !== '' : slash !== last.length || !path.startsWith(last)) {
      last = path.slice(0, Math.max(0, slash));
      there = globsIn(last);
    }
    return there !== null && globsAdmit(there, path.slice(slash + 1), false);
  };
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { parent: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}
