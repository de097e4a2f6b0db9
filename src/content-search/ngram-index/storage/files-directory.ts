import { lstatSync, mkdirSync, rmSync, type Stats } from 'node:fs';
import { syncDirectorySync } from '../../../adapters/files/sync-directory.ts';
import { codeOf } from './sqlite-directory.ts';

/** A place that index files must not be taken from, or put into. */
class RefusedPlace extends Error {
  override readonly name = 'RefusedPlace';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const WRITABLE_BY_OTHERS = 0o022;

/** Whether it belongs to this user, and nobody else may write to it (SEC-LSI-STORE-01). */
export function isOursAlone({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return (process.geteuid === undefined || uid === process.geteuid()) && (mode & WRITABLE_BY_OTHERS) === 0;
}

/**
 * Looks whether a directory is one that only this user can have filled. A link is none.
 *
 * @throws Error with the code ENOENT, ENOTDIR or EPERM
 */
export function checkDirectory(directory: string): void {
  const found = lstatSync(directory);
  if (!found.isDirectory()) throw new RefusedPlace('ENOTDIR', 'what should hold an index is no directory');
  if (!isOursAlone(found)) throw new RefusedPlace('EPERM', 'a directory of an index belongs to somebody else, or others may write to it');
}

/** Makes a directory for this user alone in one that is there, durably; or checks the one that is there. @throws Error with `code` */
export function makeDirectory(directory: string, parent: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
    syncDirectorySync(parent);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  checkDirectory(directory);
}

/** Removes a file, a link itself, or a directory with all that is in it; nothing if it is not there. */
export function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
