import { closeSync, constants, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, WritError } from '../../core/errors.ts';
import { tryLock } from '../linux/flock.ts';
import { makeDirectory } from './make-directory.ts';

/**
 * Makes this process the only one that uses a file. The lock is a file beside it, because it may be deleted itself; the
 * operating system lets go of the lock when the process ends, however it ends. A missing directory is made, for this user.
 *
 * @param taken what to say when somebody else holds it
 * @returns releases the lock
 * @throws WritError POOL_OWNED when somebody else holds it, STORAGE_UNAVAILABLE
 */
export function holdLock(file: string, taken: string): () => void {
  const path = lockOf(file);
  let fd: number;
  try {
    makeDirectory(dirname(file));
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `cannot lock ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (tryLock(fd)) return () => closeSync(fd);
  closeSync(fd);
  throw new WritError('POOL_OWNED', taken);
}

/** The lock of a file; whoever has used it has left one. */
export function lockOf(file: string): string {
  return `${file}.lock`;
}
