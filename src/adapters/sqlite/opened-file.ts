import { type BigIntStats, statSync } from 'node:fs';
import { WritError } from '../../core/errors.ts';

/**
 * Tells whether an open database is still the file at its path. SQLite goes on with one that was removed or renamed, and in
 * WAL mode it says nothing: whatever is written then is gone when its process ends. Its open file keeps the inode from being
 * given to another one. To be called when the database is open.
 *
 * @param name for the message: `the database of messages`
 * @returns throws WritError STORAGE_UNAVAILABLE while another file, or none, is at the path
 */
export function assertAtPath(path: string, name: string): () => void {
  const opened = statOf(path);
  return () => {
    const found = statOf(path);
    if (found !== undefined && found.ino === opened?.ino && found.dev === opened.dev) return;
    const why = found === undefined ? 'nothing is at its path' : 'another file is at its path';
    throw new WritError('STORAGE_UNAVAILABLE', `${name} was taken away (${why}): put it back, or restart`);
  };
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
