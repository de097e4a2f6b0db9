import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { copySql, type Format, keysSql, searchSql, sourceSql } from '../../../bench/search-executor/duckdb-sql.ts';
import { csvOf, writeCsv } from '../../../bench/search-executor/rows.ts';

const ROWS = 3000;
const QUERY = 'overdue';
const FIRST = 2;

it('the DuckDB side of the benchmark counts and orders the planted records, in all formats', async () => {
  const home = mkdtempSync(path.join(tmpdir(), "writ-bench-'sql-"));
  const files = { csv: path.join(home, 'rows.csv'), parquet: path.join(home, 'rows.parquet'), jsonl: path.join(home, 'rows.jsonl') };
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const bytes = writeCsv(files.csv, ROWS);
    expect(bytes).toBe(Buffer.byteLength([...csvOf(ROWS)].join('')));
    await connection.run(copySql(files.csv, 'parquet', files.parquet));
    await connection.run(copySql(files.csv, 'json', files.jsonl));
    const planted = [...csvOf(ROWS)]
      .join('')
      .split('\n')
      .filter((line) => line.includes(QUERY));
    const keys = planted.map((line) => Number(line.split(',')[0])).sort((a, b) => a - b);
    for (const format of ['csv', 'parquet', 'jsonl'] as const satisfies readonly Format[]) {
      const source = sourceSql(format, files[format]);
      const rows = (await connection.runAndReadAll(searchSql(source, FIRST), { query: QUERY })).getRowsJS();
      expect(rows.map(([count, key]) => [Number(count), Number(key)])).toEqual(keys.slice(0, FIRST).map((key) => [keys.length, key]));
      expect(rows.every(([, , field, text]) => ['city', 'note'].includes(String(field)) && String(text).includes(QUERY))).toBe(true);
      expect((await connection.runAndReadAll(keysSql(source))).getRowsJS()).toEqual([[true, true]]);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(home, { recursive: true });
  }
});
