import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WritError } from '../../core/errors.ts';
import { Sqlite } from '../sqlite/driver.ts';
import type { ServerTarget } from './target.ts';

/** Files of the embedded server inside its 0700 directory. */
export const SOCKET = 'redis.sock';
export const PID_FILE = 'redis.pid';
const PASSWORD_FILE = 'password';
const LOCK_FILE = 'lock';

/** A socket address holds 108 bytes with its final NUL; longer paths are reached through a descriptor of the directory. */
const MAX_SOCKET_PATH = 100;

/** Makes the directory, closed to everybody else. */
export function prepareDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
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

function readPassword(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * How any process of this user reaches the embedded server of a directory.
 * Throws WritError REDIS_UNAVAILABLE when none was ever started there.
 */
export function embeddedTarget(directory: string): ServerTarget {
  const password = readPassword(join(directory, PASSWORD_FILE));
  if (password === undefined) throw new WritError('REDIS_UNAVAILABLE', `there is no embedded Redis in ${directory}; start it with 'writ up', or set redis.url`);
  return { path: socketPath(directory), password };
}

/** A path of the socket that fits into a socket address; valid in this process. */
function socketPath(directory: string): string {
  const path = join(resolve(directory), SOCKET);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return path;
  if (process.platform !== 'linux') {
    throw new WritError('PLATFORM_UNSUPPORTED', `the socket's path has more than ${MAX_SOCKET_PATH} bytes: ${path}; choose a shorter data directory`);
  }
  return `/proc/self/fd/${directoryDescriptor(resolve(directory))}/${SOCKET}`;
}

/** Open for the life of the process, because connections come back to the path after a reconnect. */
const descriptors = new Map<string, number>();

function directoryDescriptor(directory: string): number {
  const known = descriptors.get(directory);
  if (known !== undefined) {
    if (fstatSync(known).ino === statSync(directory).ino) return known;
    closeSync(known);
  }
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  descriptors.set(directory, opened);
  return opened;
}
