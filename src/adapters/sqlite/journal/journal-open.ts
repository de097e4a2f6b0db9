import { randomUUID } from 'node:crypto';
import { isWritError, messageOf, WritError } from '../../../core/errors.ts';
import { migrate } from '../migrate.ts';
import { openDatabase, type SqliteDatabase } from '../open.ts';
import { SQL } from './journal-statements.ts';

const MIGRATIONS = new URL('../sql/journal/', import.meta.url);

/**
 * Opens a journal file: a writer creates it, brings its schema up to date and gives a new one its identity; a reader
 * takes it as it is.
 *
 * @throws WritError STORAGE_UNAVAILABLE when the file is no journal of this version.
 */
export function openJournalDatabase(file: string, options: { readonly?: boolean } = {}): SqliteDatabase {
  const db = openDatabase(file, options);
  try {
    migrate(db, MIGRATIONS);
    if (!db.readonly) db.prepare<{ value: string }>(SQL.setDataId).run({ value: randomUUID() });
    return db;
  } catch (error) {
    db.close();
    throw isWritError(error) ? error : new WritError('STORAGE_UNAVAILABLE', `the journal ${file} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

/** The random name of a journal, made with it: two journals never share one. */
export function dataIdOf(db: SqliteDatabase): string {
  const row = db.prepare<[], { value: string }>(SQL.dataId).get();
  if (row === undefined) throw new WritError('STORAGE_UNAVAILABLE', 'the journal has no identity');
  return row.value;
}
