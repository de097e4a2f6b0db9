import { DuckDBInstance } from '@duckdb/node-api';
import { type Format, keysSql, searchSql, sourceSql } from './duckdb-sql.ts';
import { MAX_RESULTS, QUERIES } from './sizes.ts';

/**
 * Bare DuckDB in a warm process with its own defaults (all memory, all cores): the same match over all text columns, the
 * same order, limit and count, and the check of every key. Its cache of files is off, because Writ may keep none either.
 */
export interface DuckDbWish {
  readonly format: Format;
  readonly file: string;
}
export interface DuckDbReport {
  readonly ms: number;
  readonly count: number;
  /** Key, field and text. */
  readonly first: readonly (readonly [string, string, string])[];
}

const instance = await DuckDBInstance.create(':memory:', { enable_external_file_cache: 'false' });
const connection = await instance.connect();
process.on('message', (wish: DuckDbWish) => void serve(wish));
process.on('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

async function serve({ format, file }: DuckDbWish): Promise<void> {
  const source = sourceSql(format, file);
  const start = performance.now();
  const rows = (await connection.runAndReadAll(searchSql(source, MAX_RESULTS), { query: QUERIES.datasets })).getRowsJS();
  const [keys = []] = (await connection.runAndReadAll(keysSql(source))).getRowsJS();
  const ms = performance.now() - start;
  if (!keys.every((good) => good === true)) throw new Error('a key is missing or there twice');
  const first = rows.map(([, key, field, text]) => [String(key), String(field), String(text)] as const);
  process.send?.({ ms, count: Number(rows[0]?.[0] ?? 0), first } satisfies DuckDbReport);
}
