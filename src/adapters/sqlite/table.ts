import { lstatSync } from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf } from '../../core/errors.ts';
import type { DatasetRefusal, TableDataset } from '../../core/ports/dataset-source.ts';
import type { DatasetScope } from '../../core/ports/index.ts';
import { unavailable } from '../datasets/regular-file.ts';
import { describeTable } from './table-columns.ts';
import { readTable, TableBroken } from './table-read.ts';

type Take = Parameters<TableDataset['read']>[2];
type Answer = ReturnType<TableDataset['read']>;

/**
 * Tables and views of SQLite files, read only. The file may be in use: a write-ahead log beside it is read with it. Where
 * such a log is missing, SQLite makes its two side files for the time of the search and removes them.
 */
export function createSqliteTables(): TableDataset {
  return { read: (scope, query, take) => regularFile(scope.path) ?? withDatabase(scope, query, take) };
}

function regularFile(path: string): DatasetRefusal | undefined {
  try {
    return lstatSync(path).isFile() ? undefined : unavailable('the path is not a regular file');
  } catch (error) {
    return unavailable(/ENOENT|ENOTDIR/.test(messageOf(error)) ? 'the file does not exist' : 'the file may not be read by this account');
  }
}

function withDatabase(scope: DatasetScope, query: string, take: Take): Answer {
  let db: Database.Database | undefined;
  try {
    db = new Database(scope.path, { readonly: true, fileMustExist: true, timeout: 5000 });
    guard(db);
    // One transaction: the table's description, its keys and its records are of one moment.
    db.exec('BEGIN');
    return readScope(db, scope, query, take);
  } catch (error) {
    return refusalOf(error);
  } finally {
    db?.close();
  }
}

/** The file is somebody else's: its schema must not make this process do more than read. */
function guard(db: Database.Database): void {
  db.pragma('query_only = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('cache_size = -16384');
  db.pragma('mmap_size = 0');
  db.defaultSafeIntegers(true);
}

function readScope(db: Database.Database, scope: DatasetScope, query: string, take: Take): Answer {
  const table = describeTable(db, scope.table);
  if (table === undefined) return unavailable('the table does not exist');
  readTable(db, table, scope.primaryKey, query, take);
  return { ok: true };
}

/** SQLite's codes for a file that cannot be opened at all. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['SQLITE_CANTOPEN', 'SQLITE_PERM', 'SQLITE_AUTH']);

function refusalOf(error: unknown): DatasetRefusal {
  if (error instanceof TableBroken) return { ok: false, code: 'EXECUTION_FAILED', message: error.message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  if (UNAVAILABLE.has(code)) return unavailable('the file cannot be opened');
  if (code === 'SQLITE_NOMEM') return { ok: false, code: 'RESOURCE_EXHAUSTED', message: 'the search needs more memory than it may take' };
  return { ok: false, code: 'EXECUTION_FAILED', message: `the table cannot be read to its end (${code})` };
}
