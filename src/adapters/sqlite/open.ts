import type Database from 'better-sqlite3';
import { messageOf, WritError } from '../../core/errors.ts';
import { Sqlite } from './driver.ts';

/** How long a lock of somebody else is waited for. */
const PATIENCE_MS = 5000;
const AGAIN_MS = 5;

export type SqliteDatabase = Database.Database;

/**
 * Opens a SQLite file the way every store of ours is opened. A writer creates the file when it is missing.
 *
 * WAL lets other processes read while one writes. `synchronous=FULL` makes a COMMIT that returned durable: in WAL mode
 * NORMAL would fsync only at checkpoints and lose the last commits with the power.
 *
 * @throws WritError STORAGE_UNAVAILABLE when the file cannot be opened or is no database.
 */
export function openDatabase(path: string, options: { readonly?: boolean } = {}): SqliteDatabase {
  const readonly = options.readonly ?? false;
  let db: SqliteDatabase | undefined;
  try {
    db = new Sqlite(path, { readonly, fileMustExist: readonly, timeout: PATIENCE_MS });
    db.pragma(`busy_timeout = ${PATIENCE_MS}`);
    // A reader cannot change the journal mode; it finds WAL in the file's header.
    if (!readonly) useWal(db);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    return db;
  } catch (error) {
    db?.close();
    throw new WritError('STORAGE_UNAVAILABLE', `cannot open the database ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * SQLite does not wait for a lock when it changes the journal mode: of two processes that make a database in the same
 * moment, one is told at once that it is locked.
 */
function useWal(db: SqliteDatabase): void {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() > until) throw error;
      // Opening blocks its thread anyway.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}
