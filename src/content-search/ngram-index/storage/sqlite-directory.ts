import { accessSync, closeSync, constants, fchmodSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why a directory cannot hold indexes that others must not read. */
export type DirectoryProblem = 'PERMISSION_DENIED' | 'NOT_PRIVATE' | 'NOT_A_DIRECTORY';

/**
 * Makes a directory for this user alone (0700), or looks whether the one that is there is such (SEC-LSI-STORE-01). A link is
 * none: in a place where everybody may write, somebody else could have put it there. Modes are not changed.
 */
export function prepareCacheDirectory(directory: string): 'ready' | DirectoryProblem {
  try {
    makeWithParents(directory);
    const found = lstatSync(directory);
    if (!found.isDirectory()) return 'NOT_A_DIRECTORY';
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    const isOurs = process.geteuid === undefined || found.uid === process.geteuid();
    return isOurs && (found.mode & 0o077) === 0 ? 'ready' : 'NOT_PRIVATE';
  } catch (error) {
    return PROBLEMS[codeOf(error)] ?? 'PERMISSION_DENIED';
  }
}

/** Not `recursive`: Node 20 never comes back from it below a directory like /proc, which says ENOENT whatever is made first. */
function makeWithParents(directory: string): void {
  const missing: string[] = [];
  for (let path = directory; lstatSync(path, { throwIfNoEntry: false }) === undefined; path = dirname(path)) missing.unshift(path);
  for (const path of missing) makeUnlessThere(path);
}

/** Another process may be making the same directory. */
function makeUnlessThere(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const PROBLEMS: Readonly<Record<string, DirectoryProblem>> = { EEXIST: 'NOT_A_DIRECTORY', ENOTDIR: 'NOT_A_DIRECTORY', ELOOP: 'NOT_A_DIRECTORY' };

/** Makes the file if there is none, and closes it to others. SQLite gives its side files the mode of the database. */
export function makePrivateFile(file: string): void {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    fchmodSync(fd, 0o600);
  } finally {
    closeSync(fd);
  }
}

/** The errno name or SQLite's code of anything thrown; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
