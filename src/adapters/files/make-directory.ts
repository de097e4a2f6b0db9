import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { WritError } from '../../core/errors.ts';

/**
 * Makes a directory and what it lies in, as far as they are missing. Node's own recursive `mkdir` asks for ever, and hears no
 * signal, where a file system answers ENOENT although the parent is there (/proc, some network and FUSE mounts).
 *
 * @param mode of each directory that is made
 * @throws WritError STORAGE_UNAVAILABLE where a file system takes no new directories; else as `fs.mkdirSync`
 */
export function makeDirectory(directory: string, mode = 0o700): void {
  const missing = madeOrMissing(directory, mode);
  if (missing === undefined) return;
  const parent = path.dirname(directory);
  if (parent === directory) throw missing;
  makeDirectory(parent, mode);
  const refused = madeOrMissing(directory, mode);
  if (refused !== undefined) throw new WritError('STORAGE_UNAVAILABLE', `${parent} takes no new directory: ${refused.message}`, { cause: refused });
}

/** Nothing once the directory is there; the error where what it lies in is said to be missing. */
function madeOrMissing(directory: string, mode: number): Error | undefined {
  try {
    mkdirSync(directory, { mode });
    return undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return error;
    // There already: which error says so depends on the file system (EEXIST, EROFS, EACCES).
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    throw error;
  }
}
