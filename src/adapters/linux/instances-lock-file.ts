import { closeSync, constants, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../core/ports/journal.ts';
import { tryLock } from './flock.ts';

const SUFFIX = '.lock';

/** Instance names are ours, but they come back from a database: a name must not be able to leave the directory. */
const INSTANCE = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/** `absent` says nothing about the process: the file may have been removed under it. */
export type LockState = 'free' | 'held' | 'absent' | 'unknown';

/** The lock file of an instance, or undefined for something that is no instance name. */
export function lockPath(directory: string, instance: string): string | undefined {
  return INSTANCE.test(instance) ? path.join(directory, instance + SUFFIX) : undefined;
}

/** The instance whose lock file has this name. */
export function instanceOf(fileName: string): string | undefined {
  const instance = fileName.endsWith(SUFFIX) ? fileName.slice(0, -SUFFIX.length) : '';
  return INSTANCE.test(instance) ? instance : undefined;
}

/**
 * Creates and locks a lock file for life; its content is for a person who looks. Undefined when a cleaner took it for
 * stale between creation and lock: then a file of another name has to be made.
 *
 * @returns the descriptor that holds the lock. Node opens with O_CLOEXEC, so no child process inherits it.
 */
export function createLocked(file: string, owner: ProcessIdentity): number | undefined {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  // From here on nobody can remove it: removing needs the lock.
  if (!tryLock(fd) || fstatSync(fd).nlink === 0) {
    closeSync(fd);
    return undefined;
  }
  try {
    writeSync(fd, `${JSON.stringify(owner)}\n`);
    return fd;
  } catch (error) {
    removeLocked(file, fd);
    throw error;
  }
}

/** Removes our own lock file while its lock is still held, then gives the lock up. */
export function removeLocked(file: string, fd: number): void {
  unlinkIfThere(file);
  closeSync(fd);
}

/** Looks at a lock, and holds it for the length of the look. */
export function lockState(file: string): LockState {
  return withOpened(file, (fd) => (tryLock(fd) ? 'free' : 'held'));
}

/** Removes a lock file that nobody holds; true when it was removed. */
export function removeIfFree(file: string): boolean {
  const state = withOpened(file, (fd) => {
    if (!tryLock(fd)) return 'held';
    unlinkIfThere(file);
    return 'free';
  });
  return state === 'free';
}

function withOpened(file: string, look: (fd: number) => LockState): LockState {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return isMissing(error) ? 'absent' : 'unknown';
  }
  try {
    return look(fd);
  } finally {
    closeSync(fd);
  }
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
