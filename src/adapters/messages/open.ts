import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrate } from '../sqlite/migrate.ts';
import { openDatabase, type SqliteDatabase } from '../sqlite/open.ts';

const MIGRATIONS = new URL('./sql/', import.meta.url);

/**
 * Opens the database of messages for its one writer; made if it is missing, in a directory of its owner's, and migrated.
 *
 * @throws WritError STORAGE_UNAVAILABLE
 */
export function openMessagesWriter(file: string): SqliteDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = openDatabase(file);
  try {
    // 64 MiB: the full text of a batch dirties pages all over. A checkpoint then finds each page once.
    db.pragma('cache_size = -65536');
    db.pragma('wal_autocheckpoint = 4096');
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens the database of messages for a reader, which never holds the writer up.
 *
 * @throws WritError STORAGE_UNAVAILABLE when there is none yet, or it is of another version
 */
export function openMessagesReader(file: string): SqliteDatabase {
  const db = openDatabase(file, { readonly: true });
  try {
    db.pragma('cache_size = -65536');
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The number that every changing transaction raises; read it in the transaction whose answer is kept. */
export function dataVersion(db: SqliteDatabase): number {
  return db.prepare<[], { value: number }>(`SELECT value FROM meta WHERE key = 'data_version'`).get()?.value ?? 0;
}
