import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, realpathSync, statSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';
import { messageOf, WritError } from '../core/errors.ts';

const ID_FILE = 'data-dir-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface DataDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** Random name of this directory, made with it; it owns a pool under this name. */
  readonly id: string;
}

/**
 * Makes sure of the data directory: creates it with mode 0700, or checks that it is ours alone. Keys, journal and lock
 * files lie in it; whoever else can write there can forge them all.
 *
 * @throws WritError INVALID_CONFIG when it is no directory, belongs to somebody else or lets others in;
 * STORAGE_UNAVAILABLE when it cannot be created or read.
 */
export function ensureDataDirectory(directory: string): DataDirectory {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const real = realpathSync(directory);
    checkOwnership(real);
    return { path: real, id: readId(real) ?? makeId(real) };
  } catch (error) {
    if (error instanceof WritError) throw error;
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR') throw refused(directory, 'is not a directory');
    throw new WritError('STORAGE_UNAVAILABLE', `the data directory ${directory} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

function checkOwnership(directory: string): void {
  const { uid, mode } = statSync(directory);
  if (uid !== process.geteuid?.()) throw refused(directory, `belongs to user ${uid}, not to the user that runs Writ`);
  if ((mode & 0o077) !== 0) throw refused(directory, `is open to others (mode ${(mode & 0o777).toString(8)}); run: chmod 700 ${directory}`);
}

function readId(directory: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(directory, ID_FILE), 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!UUID.test(text)) throw refused(directory, `has a damaged ${ID_FILE}`);
  return text;
}

/** The file appears whole or not at all, and the first of several processes wins. */
function makeId(directory: string): string {
  const id = randomUUID();
  const temporary = path.join(directory, `${ID_FILE}.${id}`);
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, `${id}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(temporary, path.join(directory, ID_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncDirectory(directory);
  return readId(directory) ?? id;
}

function syncDirectory(directory: string): void {
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function refused(directory: string, why: string): WritError {
  return new WritError('INVALID_CONFIG', `the data directory ${directory} ${why}`, { field: 'data_dir' });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
