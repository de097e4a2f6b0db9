import { dirname } from 'node:path';
import { isWritError, messageOf, WritError } from '../../core/errors.ts';
import { makeDirectory as makeMissing } from '../files/make-directory.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type SqliteDatabase } from './open.ts';

export interface OpenOptions {
  readonly readonly?: boolean;
  /** Settings before anything else is done with it, `cache_size = -65536`. */
  readonly pragmas?: readonly string[];
  /** For messages: `the tool journal`. */
  readonly name?: string;
  /** A writer makes its directory, 0700. Else a directory that is not there is an error: one that was moved away must not come back empty. */
  readonly makeDirectory?: boolean;
}

/**
 * Opens a database at its newest schema. For a writer it is made if it is missing, in a directory of its owner's.
 *
 * @param migrations directory of the numbered SQL files
 * @throws WritError STORAGE_UNAVAILABLE when it cannot be opened, is of a newer version or, for a reader, of an older one
 */
export function openMigrated(file: string, migrations: URL, options: OpenOptions = {}): SqliteDatabase {
  return openPrepared(file, migrations, (db) => db, { makeDirectory: true, ...options });
}

/**
 * The same with everything that is asked of it: a schema that a statement does not fit is found here, and no file is left open.
 *
 * @param prepare makes the statements of the open database
 * @returns what `prepare` makes
 * @throws WritError STORAGE_UNAVAILABLE as `openMigrated`, and when a statement does not fit
 */
export function openPrepared<T>(file: string, migrations: URL, prepare: (db: SqliteDatabase) => T, options: OpenOptions = {}): T {
  const { readonly = false, pragmas = [], name = 'the database', makeDirectory = false } = options;
  let db: SqliteDatabase | undefined;
  try {
    if (makeDirectory && !readonly) makeMissing(dirname(file));
    db = openDatabase(file, { readonly });
    for (const pragma of pragmas) db.pragma(pragma);
    migrate(db, migrations);
    return prepare(db);
  } catch (error) {
    db?.close();
    throw isWritError(error) ? error : new WritError('STORAGE_UNAVAILABLE', `${name} ${file} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}
