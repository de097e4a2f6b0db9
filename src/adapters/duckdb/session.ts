import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection, DuckDBValue, JS } from '@duckdb/node-api';
import { quoteText } from './quote.ts';

export type DuckDb = typeof import('@duckdb/node-api');

export interface DuckDbOptions {
  /** Directory for private folders that DuckDB spills to; each search makes its own and removes it. */
  readonly spillDirectory: string;
  /** DuckDB's own limit. Its process takes some 60 MB more. */
  readonly memoryBytes: number;
  readonly threads: number;
}

/** A database in memory that can read one file, and nothing else. */
export interface Session {
  /** Rows of one query. `$name` in the SQL stands for a parameter. */
  rows(sql: string, values?: Record<string, DuckDBValue>): Promise<JS[][]>;
}

/** The package is optional: `undefined` where it is not installed. */
export async function loadDuckDb(): Promise<DuckDb | undefined> {
  try {
    return await import('@duckdb/node-api');
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` with a session that is closed afterwards.
 *
 * @param file path of the only file that the session can open. Given as `/proc/self/fd/<n>`, it has no characters that
 *   DuckDB takes as a pattern, and stays the file that was checked.
 */
export async function withSession<T>(duckdb: DuckDb, file: string, options: DuckDbOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const spill = await mkdtemp(path.join(options.spillDirectory, 'duckdb-'));
  try {
    const instance = await duckdb.DuckDBInstance.create(':memory:', settings(spill, options));
    try {
      const connection = await instance.connect();
      try {
        await lock(connection, file);
        return await work({ rows: async (sql, values) => (await connection.runAndReadAll(sql, values)).getRowsJS() });
      } finally {
        connection.closeSync();
      }
    } finally {
      instance.closeSync();
    }
  } finally {
    await rm(spill, { recursive: true, force: true });
  }
}

function settings(spill: string, { memoryBytes, threads }: DuckDbOptions): Record<string, string> {
  return {
    memory_limit: `${memoryBytes}B`,
    threads: String(threads),
    temp_directory: spill,
    // The order of a result is the query's, never the file's.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    default_collation: 'binary',
  };
}

/** From here on no statement reaches the network, another file, or these settings. */
async function lock(connection: DuckDBConnection, file: string): Promise<void> {
  await connection.run(`SET allowed_paths = [${quoteText(file)}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}
