import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isThere } from '../adapters/files/is-there.ts';
import { tryLock } from '../adapters/linux/flock.ts';
import { WritError } from '../core/errors.ts';
import { ensureDataDirectory } from './data-directory.ts';
import type { DataDirPaths } from './paths.ts';

/**
 * Makes this process the one `writ up` of its data directory, until it ends: the system frees the lock, however that is.
 *
 * @throws WritError WRONG_STATE naming the one that runs; INVALID_CONFIG, STORAGE_UNAVAILABLE for the directory
 */
export function lockUp(places: Pick<DataDirPaths, 'dataDir' | 'upLock' | 'apiUrl'>): void {
  ensureDataDirectory(places.dataDir);
  const lock = openSync(places.upLock, 'a+', 0o600);
  if (tryLock(lock)) {
    ftruncateSync(lock);
    writeSync(lock, `${process.pid}\n`);
    return;
  }
  const pid = readFileSync(places.upLock, 'utf8').trim();
  closeSync(lock);
  const who = /^\d+$/.test(pid) ? `process ${pid}` : 'another process';
  const url = isThere(places.apiUrl) ? `, its API at ${readFileSync(places.apiUrl, 'utf8').trim()}` : '';
  throw new WritError(
    'WRONG_STATE',
    `\`writ up\` runs already for the data directory ${places.dataDir} (${who}${url}): use that one, stop it (SIGTERM, or Ctrl-C where it runs), or name another directory with --data-dir`,
  );
}
