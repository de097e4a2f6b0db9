import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createDatasetBench } from '../../datasets.ts';
import { type Boundary, FuzzFault, shown } from '../boundary.ts';
import { scratch } from '../scratch.ts';

/** Data sets, searched to their end: an answer, or a failure by its code. */
function datasetOf(
  format: 'csv' | 'jsonl' | 'parquet',
  seedsOf: (home: string) => Promise<readonly (string | Uint8Array)[]>,
  words: readonly string[],
): Boundary {
  return {
    shape: 'bytes',
    what: `data sets in ${format}, searched`,
    weight: format === 'jsonl' ? 0.2 : 0.03,
    boundMs: 10_000,
    async open() {
      const { home, remove } = scratch(format);
      const file = path.join(home, `rows.${format}`);
      const seeds = await seedsOf(home);
      const bench = await createDatasetBench(1);
      return {
        seeds,
        words,
        async run(input) {
          writeFileSync(file, input);
          const answer = await bench.search({ format, path: file, table: '', primaryKey: 'id', numeric: [], query: 'needle', maxResults: 10 });
          if (!('error' in answer)) return 'ok';
          if (!/^[A-Z_]+$/.test(answer.error)) throw new FuzzFault(`a failure without a code: ${JSON.stringify(answer)}`);
          shown(answer.message);
          return answer.error;
        },
        async close() {
          await bench.close();
          remove();
        },
      };
    },
  };
}

export const csv = datasetOf('csv', async () => ['id,key,note\r\n1,a,"a needle, ""quoted"""\r\n2,b,none\r\n', 'id,note\n1,needle\n2,"two\nlines needle"\n'], [
  '"',
  '""',
  ',',
  '\r\n',
  '\n',
  'id',
  'needle',
  '\0',
  ';',
  "'",
  '\ufeff',
]);

export const jsonLines = datasetOf(
  'jsonl',
  async () => ['{"id":1,"key":"a","note":"a needle"}\n{"id":"2","deep":{"x":["needle"]}}\n', '{"id":1.5}\n{"id":-9007199254740993,"n":"needle"}\n'],
  ['"id":', '"', '\\u0000', '\\ud800', '{', '}', '[', ']', '1e400', 'needle', '\n', 'null', '-0', '\ufeff'],
);

export const parquet = datasetOf('parquet', parquetSeeds, ['PAR1', '\0\0\0\0']);

/** Written by DuckDB, with and without compression. */
async function parquetSeeds(home: string): Promise<readonly Uint8Array[]> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const { readFileSync } = await import('node:fs');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const seeds: Uint8Array[] = [];
  for (const codec of ['uncompressed', 'snappy']) {
    const file = path.join(home, `${codec}.parquet`);
    await connection.run(`COPY (SELECT range AS id, 'needle ' || range AS note FROM range(20)) TO '${file}' (FORMAT parquet, COMPRESSION ${codec})`);
    seeds.push(readFileSync(file));
  }
  connection.closeSync();
  return seeds;
}
