import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Sqlite } from '../../../adapters/sqlite/driver.ts';
import { migrate } from '../../../adapters/sqlite/migrate.ts';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { isWritError, messageOf } from '../../../core/errors.ts';
import type { RecordsAnswer, RecordsRefusal } from '../../../core/ports/index.ts';
import { codeOf, makePrivateFile } from './sqlite-directory.ts';

const MIGRATIONS = new URL('./sql/', import.meta.url);
const FILE = 'records.db';

export interface RecordsFile {
  /** The cache root: exists, and belongs to this user (`prepareCacheDirectory`). */
  readonly directory: string;
  /** `index_lock_timeout_ms`: how long a transaction waits for another process. */
  readonly lockTimeoutMs: number;
}

/** The records cannot be used, found out by ourselves and not by SQLite. */
export class RefusedRecords extends Error {
  override readonly name = 'RefusedRecords';
  readonly refusal: RecordsRefusal;

  constructor(refusal: RecordsRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/**
 * Opens the records for writing (made if missing, 0600, migrated), or only for reading.
 *
 * WAL, so that a build never holds up a search. `synchronous=NORMAL`: a commit that a power cut takes back is no loss, for
 * no process trusts what an earlier one wrote (docs/index-safety.md 4).
 */
export function openRecords({ directory, lockTimeoutMs }: RecordsFile, { readonly }: { readonly readonly: boolean }): SqliteDatabase {
  const file = join(directory, FILE);
  for (const path of filesOf(directory)) refuseOther(path);
  if (!readonly) makeFile(file);
  const db = new Sqlite(file, { readonly, fileMustExist: true, timeout: lockTimeoutMs });
  try {
    // A file system without shared memory keeps its rollback journal; a reader finds the mode in the file.
    if (!readonly) db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    bringUp(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A FIFO would hold an open up for ever, and a link lead elsewhere: only files are records. */
function refuseOther(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new RefusedRecords('DAMAGED', 'what should be the records of indexes is no file');
}

function makeFile(file: string): void {
  try {
    makePrivateFile(file);
  } catch (error) {
    throw new RefusedRecords(/^(ENOSPC|EDQUOT)$/.test(codeOf(error)) ? 'NO_SPACE' : 'UNAVAILABLE', messageOf(error));
  }
}

/** A newer schema is as good as damaged: this version of Writ cannot use it, and it is a cache. */
function bringUp(db: SqliteDatabase): void {
  try {
    migrate(db, MIGRATIONS);
  } catch (error) {
    throw isWritError(error) ? new RefusedRecords('DAMAGED', error.message) : error;
  }
}

/** Whether there is anything to open. */
export function hasRecords(directory: string): boolean {
  return lstatSync(join(directory, FILE), { throwIfNoEntry: false }) !== undefined;
}

/** Removes the records and what SQLite keeps beside them; nobody may have them open. */
export function removeRecords(directory: string): void {
  for (const path of filesOf(directory)) rmSync(path, { recursive: true, force: true });
}

function filesOf(directory: string): readonly string[] {
  return ['', '-wal', '-shm', '-journal'].map((suffix) => join(directory, FILE + suffix));
}

/**
 * Runs something on the records; what storage and locks do to it is an answer.
 *
 * @throws what is no fault of the storage
 */
export function answerOf<T>(work: () => T): RecordsAnswer<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { ok: false, refusal, message: messageOf(error) };
  }
}

/** By SQLite's codes; the first that fits. */
const REFUSALS: readonly (readonly [RegExp, RecordsRefusal])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'LOCKED'],
  [/^SQLITE_(CORRUPT|NOTADB|FORMAT|SCHEMA|IOERR_SHORT_READ|IOERR_CORRUPTFS)/, 'DAMAGED'],
  // A table, a column or a value that only another program could have put there. SQLITE_CONSTRAINT is our own fault.
  [/^SQLITE_(ERROR|MISMATCH)$/, 'DAMAGED'],
  [/^SQLITE_FULL/, 'NO_SPACE'],
  [/^SQLITE_(CANTOPEN|IOERR|READONLY|PERM|AUTH|NOMEM|NOLFS)/, 'UNAVAILABLE'],
];

function refusalOf(error: unknown): RecordsRefusal | undefined {
  if (error instanceof RefusedRecords) return error.refusal;
  if (!(error instanceof Sqlite.SqliteError)) return undefined;
  return REFUSALS.find(([codes]) => codes.test(error.code))?.[1];
}
