import type Database from 'better-sqlite3';
import { messageOf, WritError } from '../../../core/errors.ts';
import { Sqlite } from '../driver.ts';

/**
 * Makes this process the only kernel of a data directory. The lock is SQLite's own file lock on an empty database: the
 * operating system drops it when the process ends, however it ends. (Node has no flock.)
 *
 * @returns releases the lock
 * @throws WritError POOL_OWNED when another kernel holds it
 */
export function holdKernelLock(path: string): () => void {
  let db: Database.Database | undefined;
  try {
    db = new Sqlite(path, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return () => held.close();
  } catch (error) {
    db?.close();
    const busy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (busy) throw new WritError('POOL_OWNED', 'another kernel already runs on this data directory', { cause: error });
    throw new WritError('STORAGE_UNAVAILABLE', `cannot lock ${path}: ${messageOf(error)}`, { cause: error });
  }
}
