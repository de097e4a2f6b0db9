import { constants as os } from 'node:os';
import { WritError } from '../../core/errors.ts';
import { processLibc } from './libc-process.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Tries to take the exclusive lock of an open file, without waiting. It lasts until the last descriptor of this opening
 * is closed, at the latest when the process has ended: threads share their descriptors, so the kernel frees it only
 * after the last thread has left its last system call. A free lock therefore means that no effect is under way.
 *
 * @returns whether the lock is ours now; false: somebody else has it
 * @throws WritError STORAGE_UNAVAILABLE when the file cannot be locked at all.
 */
export function tryLock(fd: number): boolean {
  const result = processLibc().flock(fd, LOCK_EX | LOCK_NB);
  if (result >= 0) return true;
  if (-result === os.errno.EWOULDBLOCK) return false;
  throw new WritError('STORAGE_UNAVAILABLE', `flock failed with errno ${-result}`);
}
