import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatasetSources } from '../../src/adapters/duckdb/index.ts';
import { loadDuckDb } from '../../src/adapters/duckdb/session.ts';
import type { DatasetScope, Found } from '../../src/core/ports/index.ts';
import { createDatasetsScan } from '../../src/executors/search/datasets/index.ts';
import { ScanError } from '../../src/executors/search/scan-error.ts';

export type DatasetAnswer = Found | { readonly error: string; readonly message: string };

export interface DatasetCase extends Omit<DatasetScope, 'kind'> {
  readonly query: string;
  readonly maxResults: number;
}

/** A directory of its own and a search in it. */
export async function createDatasetBench(threads = 2) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'writ-datasets-'));
  const spillDirectory = await mkdtemp(path.join(directory, 'spill-'));
  const scan = createDatasetsScan(await createDatasetSources({ spillDirectory, maxBytes: 256_000_000, threads }));

  async function search({ query, maxResults, ...scope }: DatasetCase): Promise<DatasetAnswer> {
    try {
      return await scan({ kind: 'datasets', ...scope }, { query, maxResults });
    } catch (error) {
      if (error instanceof ScanError) return { error: error.code, message: error.message };
      throw error;
    }
  }

  return { directory, spillDirectory, search, close: () => rm(directory, { recursive: true, force: true }) };
}

/** The same cases, answered by `dataset-oracle.py`. A refusal is `error`. */
export async function askOracle(cases: readonly DatasetCase[]): Promise<unknown[]> {
  const script = fileURLToPath(new URL('dataset-oracle.py', import.meta.url));
  const child = spawn('python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const out: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stdin.end(cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await once(child, 'close');
  return Buffer.concat(out)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

/** Writes the rows of a query of DuckDB's, with the types that they have there. */
export async function writeParquet(file: string, sql: string): Promise<void> {
  const duckdb = await loadDuckDb();
  if (duckdb === undefined) throw new Error('DuckDB is not installed');
  const instance = await duckdb.DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

/** What both kinds of answers have in common. */
export function comparable(answer: DatasetAnswer): unknown {
  return 'error' in answer ? { error: true } : answer;
}
