import { readdirSync, readFileSync } from 'node:fs';
import { WritError } from '../../core/errors.ts';
import type { SqliteDatabase } from './open.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
}

/**
 * Brings a database to the newest schema: applies every `NNN_name.sql` of the directory whose number is above
 * `user_version`, in order, once, each in one transaction with the new number. Several processes may do so at once.
 *
 * @param migrationsDir directory URL, `new URL('./sql/journal/', import.meta.url)`; a missing final slash is tolerated
 * @returns the version that the database has now
 * @throws WritError STORAGE_UNAVAILABLE when the file was written by a newer version of Writ, or is open read-only and
 * not up to date.
 */
export function migrate(db: SqliteDatabase, migrationsDir: URL): number {
  const directory = new URL(migrationsDir.href.endsWith('/') ? migrationsDir.href : `${migrationsDir.href}/`);
  const migrations = migrationsIn(directory);
  const newest = migrations.at(-1)?.version ?? 0;
  const found = userVersion(db);
  if (found > newest || (db.readonly && found < newest)) {
    throw new WritError('STORAGE_UNAVAILABLE', `the database ${db.name} has schema ${found}, this version of Writ reads ${newest}`);
  }
  for (const migration of migrations) apply(db, directory, migration);
  return userVersion(db);
}

function migrationsIn(directory: URL): readonly Migration[] {
  const migrations = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => ({ name, version: Number(/^(\d{3})_[a-z0-9_]+\.sql$/.exec(name)?.[1] ?? Number.NaN) }))
    .sort((a, b) => a.version - b.version);
  for (const [index, migration] of migrations.entries()) {
    if (migration.version !== index + 1) throw new WritError('INTERNAL', `migrations must be numbered from 001 without gaps: ${migration.name}`);
  }
  return migrations;
}

/** BEGIN IMMEDIATE first, then the look at the version: a second process waits and then finds the work done. */
function apply(db: SqliteDatabase, directory: URL, migration: Migration): void {
  if (userVersion(db) >= migration.version) return;
  db.transaction(() => {
    if (userVersion(db) >= migration.version) return;
    db.exec(readFileSync(new URL(migration.name, directory), 'utf8'));
    db.pragma(`user_version = ${migration.version}`);
  }).immediate();
}

function userVersion(db: SqliteDatabase): number {
  return Number(db.pragma('user_version', { simple: true }));
}
