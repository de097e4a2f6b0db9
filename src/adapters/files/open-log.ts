import { constants, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';

/** Not to wait: a pipe that lies there and that nobody reads is an error. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * Opens a log to be appended to. Its directory is made anew where somebody has removed it; what that one lies in is not, since a data
 * directory that was moved away is not to come back as an empty one.
 *
 * @returns the descriptor; throws as `fs.openSync`
 */
export function openLog(file: string): number {
  try {
    return openSync(file, APPEND, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    mkdirSync(path.dirname(file), { mode: 0o700 });
    return openSync(file, APPEND, 0o600);
  }
}
