import { randomUUID } from 'node:crypto';
import { WritError } from '../../../core/errors.ts';
import type { SqliteDatabase } from '../open.ts';
import { openPrepared } from '../open-migrated.ts';
import { SQL } from './journal-statements.ts';

const MIGRATIONS = new URL('../sql/journal/', import.meta.url);

/**
 * Opens a journal file with what is asked of it: a writer creates it, brings its schema up to date and gives a new one its
 * identity; a reader takes it as it is.
 *
 * @throws WritError STORAGE_UNAVAILABLE when the file is no journal of this version.
 */
export function openJournalDatabase<T>(file: string, prepare: (db: SqliteDatabase) => T, options: { readonly readonly?: boolean } = {}): T {
  const opened = (db: SqliteDatabase): T => {
    if (!db.readonly) db.prepare<{ value: string }>(SQL.setDataId).run({ value: randomUUID() });
    return prepare(db);
  };
  return openPrepared(file, MIGRATIONS, opened, { ...options, name: 'the journal' });
}

/** The random name of a journal, made with it: two journals never share one. */
export function dataIdOf(db: SqliteDatabase): string {
  const row = db.prepare<[], { value: string }>(SQL.dataId).get();
  if (row === undefined) throw new WritError('STORAGE_UNAVAILABLE', 'the journal has no identity');
  return row.value;
}
