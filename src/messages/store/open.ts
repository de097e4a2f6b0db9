import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { openMigrated } from '../../adapters/sqlite/open-migrated.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { fillFullText, registerTextFunctions } from './write/full-text.ts';

const MIGRATIONS = new URL('./sql/', import.meta.url);
/** What it is called where its path is nobody's business. */
export const DATABASE = 'the database of messages';
/** 64 MiB: the full text of a batch dirties pages all over, and a search walks through many. */
const CACHE = 'cache_size = -65536';

/** The rows of a small store of before, and the two ends. */
const MAX_FIRST_STEPS = 3;

/**
 * Opens the database of messages for its one writer; made if it is missing, in a directory of its owner's, and migrated.
 *
 * @throws WritError STORAGE_UNAVAILABLE
 */
export function openMessagesWriter(file: string): SqliteDatabase {
  // A checkpoint then finds each page once.
  const db = openMigrated(file, MIGRATIONS, { pragmas: [CACHE, 'wal_autocheckpoint = 4096'] });
  registerTextFunctions(db);
  try {
    // A new store, and a small one of before, is whole at once; the writer goes on with a large one (`WriteEngine.advance`).
    for (let step = 0; step < MAX_FIRST_STEPS && !fillFullText(db); ) step += 1;
    return db;
  } catch (error) {
    db.close();
    throw new WritError('STORAGE_UNAVAILABLE', `the full text of ${file} cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Opens the database of messages for a reader, which never holds the writer up.
 *
 * @throws WritError STORAGE_UNAVAILABLE when there is none yet, or it is of another version
 */
export function openMessagesReader(file: string): SqliteDatabase {
  return openMigrated(file, MIGRATIONS, { readonly: true, pragmas: [CACHE] });
}

/** The number that every changing transaction raises; read it in the transaction whose answer is kept. */
export function dataVersion(db: SqliteDatabase): number {
  return db.prepare<[], { value: number }>(`SELECT value FROM meta WHERE key = 'data_version'`).get()?.value ?? 0;
}
