import type { Database } from 'better-sqlite3';
import type { DatasetRefusal, TableDataset } from '../../../core/ports/dataset-source.ts';
import type { DatasetScope } from '../../../core/ports/index.ts';
import { unavailable } from '../../duckdb/regular-file.ts';
import { type ForeignFile, openForeignFile } from '../foreign-file.ts';
import { TableBroken } from './table-broken.ts';
import { describeTable } from './table-columns.ts';
import { checkKeys } from './table-keys.ts';
import { readMatches } from './table-read.ts';
import { checkTexts } from './table-texts.ts';

type Take = Parameters<TableDataset['read']>[3];
type Answer = ReturnType<TableDataset['read']>;

/**
 * Tables and views of SQLite files, read only. The file may be in use: a write-ahead log beside it is read with it. Where
 * such a log is missing, SQLite makes its two side files for the time of the search and removes them.
 */
export function createSqliteTables(): TableDataset {
  return { read: (scope, ...wanted) => withDatabase(scope, (db) => readScope(db, scope, ...wanted)) };
}

function withDatabase(scope: DatasetScope, work: (db: Database) => Answer): Answer {
  let file: ForeignFile | undefined;
  try {
    const opened = openForeignFile(scope.path);
    if (!opened.ok) return opened;
    file = opened;
    guard(file.db);
    // One transaction: the table's description, its keys and its records are of one moment.
    file.db.exec('BEGIN');
    return work(file.db);
  } catch (error) {
    return refusalOf(error);
  } finally {
    file?.close();
  }
}

/** The file is somebody else's: its schema must not make this process do more than read. */
function guard(db: Database): void {
  db.pragma('query_only = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('cache_size = -16384');
  db.pragma('mmap_size = 0');
  db.defaultSafeIntegers(true);
}

function readScope(db: Database, { table: name, primaryKey }: DatasetScope, query: string, most: number, take: Take): Answer {
  const table = describeTable(db, name);
  if (table === undefined) return unavailable('the table does not exist');
  checkKeys(db, table, primaryKey);
  checkTexts(db, table);
  return { ok: true, count: readMatches(db, table, primaryKey, query, most, take) };
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
