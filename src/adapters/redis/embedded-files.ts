import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WritError } from '../../core/errors.ts';
import { readIfThere } from '../files/is-there.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { shortDirectory } from '../linux/short-directory.ts';
import { Sqlite } from '../sqlite/driver.ts';
import type { ServerTarget } from './target.ts';

/** Files of the embedded server inside its 0700 directory. */
export const SOCKET = 'redis.sock';
export const PID_FILE = 'redis.pid';
const PASSWORD_FILE = 'password';
const LOCK_FILE = 'lock';

/** Makes the directory, closed to everybody else. */
export function prepareDirectory(directory: string): void {
  makeDirectory(directory);
  chmodSync(directory, 0o700);
}

/**
 * Makes this process the only one that runs a server on the directory. SQLite's file lock is used for it: the kernel
 * drops it when the process ends, however it ends, and no file that was left behind can be mistaken for it.
 *
 * @returns gives the lock back
 * @throws WritError REDIS_UNAVAILABLE when another process holds it
 */
export function lockDirectory(directory: string): () => void {
  const lock = new Sqlite(join(directory, LOCK_FILE), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new WritError(
      'REDIS_UNAVAILABLE',
      `another process has its Redis in ${directory}: stop that one (\`writ up\`, mostly) first, or use another data directory`,
      { cause },
    );
  }
  return () => lock.close();
}

/** The server's password, random, kept in a 0600 file from the first start on. Needs the directory's lock. */
export function ensurePassword(directory: string): string {
  const file = join(directory, PASSWORD_FILE);
  const kept = readPassword(file);
  if (kept !== undefined) {
    chmodSync(file, 0o600);
    return kept;
  }
  const password = randomBytes(32).toString('hex');
  writeFileSync(`${file}.new`, password, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return password;
}

/** Throws WritError STORAGE_UNAVAILABLE for one that this account may not read: it says nothing about a server. */
function readPassword(file: string): string | undefined {
  const text = readIfThere(file)?.trim();
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

/**
 * How any process of this user reaches the embedded server of a directory.
 * Throws WritError REDIS_UNAVAILABLE when none was ever started there, STORAGE_UNAVAILABLE when this account may not look.
 */
export function embeddedTarget(directory: string): ServerTarget {
  const password = readPassword(join(directory, PASSWORD_FILE));
  if (password === undefined) throw new WritError('REDIS_UNAVAILABLE', `there is no embedded Redis in ${directory}; start it with 'writ up', or set redis.url`);
  return { path: join(shortDirectory(resolve(directory), SOCKET.length), SOCKET), password };
}
