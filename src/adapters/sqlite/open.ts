import Database from 'better-sqlite3';
import { messageOf, WritError } from '../../core/errors.ts';

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
    db = new Database(path, { readonly, fileMustExist: readonly, timeout: 5000 });
    db.pragma('busy_timeout = 5000');
    // A reader cannot change the journal mode; it finds WAL in the file's header.
    if (!readonly) db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    return db;
  } catch (error) {
    db?.close();
    throw new WritError('STORAGE_UNAVAILABLE', `cannot open the database ${path}: ${messageOf(error)}`, { cause: error });
  }
}
