import { readdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

/** The schema of each SQLite database below a directory, by its place in it. Opens them: not for a reader of a running installation. */
export function schemasIn(directory: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    databasesIn(directory).map((file) => [file, withDatabase(path.join(directory, file), (db) => Number(db.pragma('user_version', { simple: true })))]),
  );
}

/** What a much newer program would have left. */
export function raiseSchema(file: string): void {
  withDatabase(file, (db) => db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true })) + 100}`));
}

function databasesIn(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(db|sqlite)$/.test(name)).sort();
}

function withDatabase<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
