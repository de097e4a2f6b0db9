import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { createExclusively } from '../adapters/files/create-exclusively.ts';
import { assertReadable, isThere } from '../adapters/files/is-there.ts';
import { makeDirectory } from '../adapters/files/make-directory.ts';
import { messageOf, WritError } from '../core/errors.ts';
import { shellWord } from '../core/shell-word.ts';

const ID_FILE = 'data-dir-id';
/** Set by --data-dir and WRIT_DATA_DIR. */
const FIELD = 'data_dir';
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
    makeDirectory(directory);
    const real = realpathSync(directory);
    checkOwnership(real);
    return { path: real, id: readId(real) ?? makeId(real) };
  } catch (error) {
    if (error instanceof WritError && error.field === FIELD) throw error;
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTDIR') throw refused(directory, 'is not a directory');
    throw new WritError('STORAGE_UNAVAILABLE', `the data directory ${directory} cannot be used: ${messageOf(error)}`, { field: FIELD, cause: error });
  }
}

/**
 * Makes sure that this account may read the data directory, where there is one: whoever may not would take everything in it for
 * something that is not there. Creates nothing.
 *
 * @throws WritError INVALID_CONFIG when it is no directory; STORAGE_UNAVAILABLE naming the directory that this account may not read
 */
export function assertReadableDataDirectory(directory: string): void {
  if (!isThere(directory)) return;
  if (!statSync(directory).isDirectory()) throw refused(directory, 'is not a directory');
  assertReadable(directory);
}

function checkOwnership(directory: string): void {
  const { uid, mode } = statSync(directory);
  if (uid !== process.geteuid?.()) throw refused(directory, `belongs to user ${uid}, not to the user that runs Writ`);
  if ((mode & 0o077) !== 0) throw refused(directory, `is open to others (mode ${(mode & 0o777).toString(8)}); run: chmod 700 ${shellWord(directory)}`);
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

/** The first of several processes names the directory. */
function makeId(directory: string): string {
  const id = randomUUID();
  createExclusively(path.join(directory, ID_FILE), `${id}\n`);
  return readId(directory) ?? id;
}

function refused(directory: string, why: string): WritError {
  return new WritError('INVALID_CONFIG', `the data directory ${directory} ${why}`, { field: FIELD });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
