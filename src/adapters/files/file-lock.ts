import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { WritError } from '../../core/errors.ts';
import { tryLock } from '../linux/flock.ts';

/** Holders write a few lines; who waits longer waits for something that hangs. */
const PATIENCE_MS = 15_000;
/** Polls are spread, so that several waiters do not keep in step. */
const POLL_MS = 4;

/**
 * Takes the exclusive lock of an open file, waiting for other holders without blocking the event loop.
 *
 * @throws WritError STORAGE_UNAVAILABLE when it is not free within 15 s
 */
export async function waitForFileLock(fd: number, file: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!tryLock(fd)) {
    if (performance.now() > deadline) throw new WritError('STORAGE_UNAVAILABLE', `another process has held the lock of ${file} for ${PATIENCE_MS / 1000} s`);
    await sleep(1 + Math.random() * POLL_MS);
  }
}

/**
 * Does some work while nobody else does any under the lock `<file>.lock`, in this process or another.
 *
 * @throws WritError STORAGE_UNAVAILABLE like `waitForLock`, and whatever `work` throws
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = await open(`${file}.lock`, 'a', 0o600);
  try {
    await waitForFileLock(lock.fd, file);
    return await work();
  } finally {
    await lock.close();
  }
}
