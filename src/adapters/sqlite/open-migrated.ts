import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { migrate } from './migrate.ts';
import { openDatabase, type SqliteDatabase } from './open.ts';

/**
 * Opens a database at its newest schema. For a writer it is made if it is missing, in a directory of its owner's.
 *
 * @param migrations directory of the numbered SQL files
 * @param pragmas settings before anything else is done with it, `cache_size = -65536`
 * @throws WritError STORAGE_UNAVAILABLE when it cannot be opened, is of a newer version or, for a reader, of an older one
 */
export function openMigrated(file: string, migrations: URL, { readonly = false, pragmas = [] as readonly string[] } = {}): SqliteDatabase {
  if (!readonly) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = openDatabase(file, { readonly });
  try {
    for (const pragma of pragmas) db.pragma(pragma);
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
