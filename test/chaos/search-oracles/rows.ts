import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import path from 'node:path';
import { shuffled } from '../../../bench/search-executor/shuffle.ts';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import type { DatasetScope } from '../../../src/core/ports/index.ts';
import type { BigSearch } from './measured.ts';

/** Stands in the address of every record. */
const QUERY = '@mail';
const SHOWN = 1000;
const KEY = 'id';
/** Digits of a key that is text: so wide that texts are in the order of numbers. */
const DIGITS = 9;
/** The keys 1 to `count` in no order, for i from 1 to `count`: the shuffle of `shuffled` in SQL. */
const keySql = (count: number | string): string => `(i * 15485863) % ${count} + 1`;

type Rows = Pick<BigSearch, 'scope' | 'bytes'>;
type Writer = (directory: string, count: number) => Promise<Rows> | Rows;

const dataset = (format: DatasetScope['format'], file: string, more: Partial<DatasetScope> = {}): Rows => ({
  scope: { kind: 'datasets', format, path: file, table: '', primaryKey: KEY, numeric: [], ...more },
  bytes: statSync(file).size,
});

/** Data sets in which every record matches. */
export const ROWS = {
  csv: async (directory, count) => {
    const file = path.join(directory, 'rows.csv');
    await copyTo(file, count, '(FORMAT csv, HEADER)', directory);
    return dataset('csv', file, { numeric: [KEY, 'amount'] });
  },
  parquet: async (directory, count) => {
    const file = path.join(directory, 'rows.parquet');
    await copyTo(file, count, '(FORMAT parquet)', directory);
    return dataset('parquet', file);
  },
  jsonl: async (directory, count) => {
    const file = path.join(directory, 'rows.jsonl');
    const stream = createWriteStream(file, { highWaterMark: 1024 * 1024 });
    for (let at = 1; at <= count; ) {
      let lines = '';
      for (const end = Math.min(count, at + 9_999); at <= end; at += 1)
        lines += `{"name":"Größmann ${at % 997}","email":"u${at}${QUERY}","${KEY}":${shuffled(at, count) + 1}}\n`;
      if (!stream.write(lines)) await once(stream, 'drain');
    }
    stream.end();
    await once(stream, 'close');
    return dataset('jsonl', file);
  },
  'sqlite-number-key': (directory, count) => sqlite(path.join(directory, 'number.db'), count, 'INTEGER PRIMARY KEY', 'i'),
  'sqlite-text-key': (directory, count) => sqlite(path.join(directory, 'text.db'), count, 'TEXT', `printf('%0${DIGITS}d', ${keySql('@count')})`),
} satisfies Record<string, Writer>;

export type RowsFormat = keyof typeof ROWS;

/** A search that every record matches. */
export async function rowsSearch(name: RowsFormat, directory: string, count: number): Promise<BigSearch> {
  const rows = await ROWS[name](directory, count);
  const first = Array.from({ length: SHOWN }, (_, at) => (name === 'sqlite-text-key' ? String(at + 1).padStart(DIGITS, '0') : String(at + 1)));
  return { name, ...rows, query: QUERY, maxResults: SHOWN, records: count, expected: { count, first: first.slice(0, count) }, look: 'ids' };
}

/** Written by DuckDB, which is fast; that it reads what it writes is not what is looked at here. */
async function copyTo(file: string, count: number, format: string, directory: string): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', temp_directory: directory });
  const connection = await instance.connect();
  const note = `CASE WHEN i % 5 = 0 THEN 'goods damaged, "urgent"' || chr(10) || 'größe' ELSE 'paid open reminder shipped' END AS note`;
  const columns = `${keySql(count)} AS ${KEY}, 'Größmann ' || (i % 997) AS name, 'u' || i || '${QUERY}' AS email, ${note}, i * 0.01 AS amount`;
  await connection.run(`COPY (SELECT ${columns} FROM range(1, ${count + 1}) AS t(i)) TO '${file}' ${format}`);
  connection.closeSync();
  instance.closeSync();
}

function sqlite(file: string, count: number, type: string, value: string): Rows {
  const db = new Sqlite(file);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(`CREATE TABLE records (${KEY} ${type}, name TEXT, email TEXT, note TEXT, amount REAL)`);
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)';
  db.prepare(
    `${numbers} INSERT INTO records SELECT ${value}, 'Größmann ' || (i % 997), 'u' || i || '${QUERY}', 'paid open reminder shipped', i * 0.01 FROM n`,
  ).run({ count });
  // Made at once it costs a tenth of what it would cost row by row.
  if (type === 'TEXT') db.exec(`CREATE UNIQUE INDEX by_key ON records (${KEY})`);
  db.close();
  return dataset('sqlite', file, { table: 'records' });
}
