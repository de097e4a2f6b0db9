import { closeSync, constants, openSync } from 'node:fs';
import { messageOf, WritError } from '../../core/errors.ts';
import { tryLock } from '../linux/flock.ts';

/**
 * Makes this process the only one that holds a task index. The lock is a file beside the index, because the index itself
 * may be deleted at any time; the operating system lets go of it when the process ends, however it ends.
 *
 * @returns releases the lock
 * @throws WritError POOL_OWNED when somebody else holds it
 */
export function holdIndexLock(file: string): () => void {
  const path = `${file}.lock`;
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `cannot lock ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (tryLock(fd)) return () => closeSync(fd);
  closeSync(fd);
  throw new WritError('POOL_OWNED', 'another process already serves the API of this data directory: it holds the task index');
}
