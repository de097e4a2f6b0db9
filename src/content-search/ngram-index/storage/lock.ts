import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../../adapters/linux/flock.ts';
import { isWritError, messageOf, WritError } from '../../../core/errors.ts';

/** The right to host an index, as long as this process has it. */
export interface IndexLock {
  /** Whether the directory is still in its place: a lock on one that was taken away keeps nobody off. */
  isThere(): boolean;
  release(): void;
}

/**
 * Makes this process the only host of an index. The operating system lets go of the lock when the process ends, however it
 * ends. It is the directory itself that is locked: no file in it can be taken away from under the lock.
 *
 * @throws WritError POOL_OWNED when somebody else has it, STORAGE_UNAVAILABLE
 */
export function lockIndex(directory: string): IndexLock {
  const lock = tryLockIndex(directory);
  if (lock === undefined) throw new WritError('POOL_OWNED', `another process hosts the index in ${directory}`);
  return lock;
}

/** The same; `undefined` when somebody has it, be it this process. @throws WritError STORAGE_UNAVAILABLE */
export function tryLockIndex(directory: string): IndexLock | undefined {
  const fd = opened(directory, OPEN_DIRECTORY);
  try {
    if (tryLock(fd)) return lockOf(directory, fd, () => closeSync(fd));
    closeSync(fd);
    return undefined;
  } catch (error) {
    closeSync(fd);
    if (!isWritError(error)) throw error;
    return byFile(directory);
  }
}

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Where only files that are open for writing can be locked (NFS). */
function byFile(directory: string): IndexLock | undefined {
  const fd = opened(join(directory, 'LOCK'), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW);
  try {
    if (tryLock(fd)) return lockOf(join(directory, 'LOCK'), fd, () => closeSync(fd));
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

function lockOf(path: string, fd: number, release: () => void): IndexLock {
  const { dev, ino } = fstatSync(fd);
  let isHeld = true;
  return {
    isThere() {
      const now = lstatSync(path, { throwIfNoEntry: false });
      return now !== undefined && now.dev === dev && now.ino === ino;
    },
    release() {
      if (isHeld) release();
      isHeld = false;
    },
  };
}

function opened(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `cannot lock ${path}: ${messageOf(error)}`, { cause: error });
  }
}
