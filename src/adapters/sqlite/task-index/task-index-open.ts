import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { isWritError } from '../../../core/errors.ts';
import { Sqlite } from '../driver.ts';
import { migrate } from '../migrate.ts';
import { openDatabase, type SqliteDatabase } from '../open.ts';
import { openPrepared } from '../open-migrated.ts';

const MIGRATIONS = new URL('../sql/task-index/', import.meta.url);
/** 32 MiB, and 64 MiB of WAL: rows come in no order, so that a batch dirties many pages, and checkpoints should find each page once. */
const PRAGMAS = ['synchronous = NORMAL', 'cache_size = -32768', 'wal_autocheckpoint = 16384'];
const MAGIC = 'SQLite format 3\0';

export interface OpenIndex {
  readonly db: SqliteDatabase;
  /** Random name of this file, made with it. */
  readonly generation: string;
  /** Number of the change before the first: a later file begins with a higher one, so that old event ids do not fit. */
  readonly floor: number;
  /** Whether the path still leads to this file, and it still looks like a database. */
  intact(): boolean;
}

/**
 * Opens the task index with what is asked of it, or makes a new one in place of a file that is damaged or of another version: it
 * is a copy.
 *
 * @throws WritError STORAGE_UNAVAILABLE when no file can be made there
 */
export function openIndex<T>(file: string, prepare: (index: OpenIndex) => T): T {
  try {
    return openOnce(file, prepare);
  } catch (error) {
    if (!isUseless(error)) throw error;
    removeIndex(file);
    return openOnce(file, prepare);
  }
}

export type OpenView = Pick<OpenIndex, 'db' | 'generation' | 'intact'>;

/** Opens a complete index only for reading; `undefined` when there is none: its owner is about to make it. */
export function openView(file: string): OpenView | undefined {
  let db: SqliteDatabase | undefined;
  try {
    const { ino } = statSync(file);
    db = openDatabase(file, { readonly: true });
    db.pragma('cache_size = -16384');
    migrate(db, MIGRATIONS);
    return { db, generation: generationOf(db), intact: () => isIntact(file, ino) };
  } catch {
    db?.close();
    return undefined;
  }
}

/** The file and what SQLite keeps beside it. */
export function removeIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Whether an error says that the file's content cannot be trusted. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|SCHEMA)/.test(error.code);
}

/** No permission and no room are not the file's fault; damage, a newer schema and missing tables are. */
function isUseless(error: unknown): boolean {
  if (!isWritError(error)) return false;
  const lacksTables = error.cause instanceof Sqlite.SqliteError && error.cause.code === 'SQLITE_ERROR';
  return error.cause === undefined || lacksTables || isDamage(error.cause);
}

function openOnce<T>(file: string, prepare: (index: OpenIndex) => T): T {
  const opened = (db: SqliteDatabase): T => {
    const born = db.prepare<{ key: string; value: string }>('INSERT OR IGNORE INTO meta (key, value) VALUES (@key, @value)');
    born.run({ key: 'generation', value: randomUUID() });
    // A thousand changes a millisecond, for ever, before two files could share a number.
    born.run({ key: 'floor', value: String(Date.now() * 1000) });
    const read = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?');
    const { ino } = statSync(file);
    return prepare({ db, generation: generationOf(db), floor: Number(read.get('floor')?.value), intact: () => isIntact(file, ino) });
  };
  return openPrepared(file, MIGRATIONS, opened, { pragmas: PRAGMAS, name: 'the task index' });
}

function generationOf(db: SqliteDatabase): string {
  return db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'generation'`).get()?.value ?? '';
}

function isIntact(file: string, ino: number): boolean {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const head = Buffer.alloc(MAGIC.length);
    return fstatSync(fd).ino === ino && readSync(fd, head, 0, head.length, 0) === head.length && head.toString('latin1') === MAGIC;
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
