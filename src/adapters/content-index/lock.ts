import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, WritError } from '../../core/errors.ts';
import { tryLock } from '../linux/flock.ts';

/**
 * Makes this process the only host of an index. The operating system lets go of the lock when the process ends, however it
 * ends.
 *
 * @returns releases the lock
 * @throws WritError POOL_OWNED when somebody else has it, STORAGE_UNAVAILABLE
 */
export function holdIndexDirectory(directory: string): () => void {
  const path = join(directory, 'LOCK');
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `cannot lock ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (tryLock(fd)) return () => closeSync(fd);
  closeSync(fd);
  throw new WritError('POOL_OWNED', `another process hosts the index in ${directory}`);
}
