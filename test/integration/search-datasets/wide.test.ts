import fs from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatasetBench, type DatasetAnswer, type DatasetCase, writeParquet } from '../../support/datasets.ts';
import { cases } from '../../support/oracle-runs.ts';

let bench: Awaited<ReturnType<typeof createDatasetBench>>;
beforeAll(async () => {
  bench = await createDatasetBench();
});
afterAll(() => bench.close());

type Records = readonly Readonly<Record<string, string>>[];

async function ask(format: DatasetCase['format'], content: string, more: Partial<DatasetCase> = {}): Promise<DatasetAnswer> {
  const file = path.join(bench.directory, `wide.${format}`);
  await fs.writeFile(file, content);
  return bench.search({ format, path: file, table: '', primaryKey: 'k', numeric: [], query: 'needle', maxResults: 3, ...more });
}

const csvOf = (records: Records): string =>
  [Object.keys(records[0] ?? {}), ...records.map((one) => Object.values(one))].map((row) => `${row.join(',')}\n`).join('');
const linesOf = (records: Records): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

/** A record of so many texts, `needle` in those of these places. */
function record(key: string, columns: number, hits: readonly number[]): Readonly<Record<string, string>> {
  const texts = Array.from({ length: columns }, (_, place) => [`n${place}`, hits.includes(place) ? `a needle ${place}` : `hay ${place}`] as const);
  return { k: key, ...Object.fromEntries(texts) };
}

describe('a data set with more columns than one statement reads', () => {
  it('is answered as the same records in JSON Lines, each match under its first field', { tags: ['SE-48', 'SE-49', 'SE-51'] }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 120, max: 420 }),
        fc.uniqueArray(fc.record({ key: fc.integer({ min: 1, max: 40 }), hits: fc.array(fc.nat({ max: 420 }), { maxLength: 4 }) }), {
          minLength: 1,
          maxLength: 12,
          selector: ({ key }) => key,
        }),
        async (columns, rows) => {
          const records = rows.map(({ key, hits }) => record(`key ${key}`, columns, hits));
          const answer = await ask('csv', csvOf(records));
          expect(answer).toEqual(await ask('jsonl', linesOf(records)));
          await writeParquet(path.join(bench.directory, 'wide-copy.parquet'), `SELECT * FROM read_csv('${bench.directory}/wide.csv', all_varchar = true)`);
          const parquet = path.join(bench.directory, 'wide-copy.parquet');
          expect(await bench.search({ format: 'parquet', path: parquet, table: '', primaryKey: 'k', numeric: [], query: 'needle', maxResults: 3 })).toEqual(
            answer,
          );
        },
      ),
      { numRuns: cases(40) },
    ),
  );

  it('has numeric keys of any size in their order', { tags: ['SE-49', 'SE-50'] }, async () => {
    const keys = ['9007199254740993', '0.5', '9007199254740992', '-3'];
    const records = keys.map((key, place) => record(key, 300, [290 - place]));
    const answer = await ask('csv', csvOf(records), { numeric: ['k'] });
    const ids = 'error' in answer ? answer : answer.hits.map(({ id, match_field }) => [id, match_field]);
    expect(ids).toEqual([
      ['-3', 'n287'],
      ['0.5', 'n289'],
      ['9007199254740992', 'n288'],
    ]);
    expect(answer).toMatchObject({ count: 4 });
  });

  it('with 1,000 columns and one record needs no more memory than another', { tags: ['SE-48'] }, async () => {
    expect(await ask('csv', csvOf([record('1', 1000, [999])]))).toEqual({ count: 1, hits: [{ id: '1', match_field: 'n999', match_snippet: 'a needle 999' }] });
    expect(await ask('csv', csvOf([record('1', 1000, [])]))).toEqual({ count: 0, hits: [] });
  });

  it('fails on a repeated key and on what is no number in any column that is declared numeric', { tags: ['SE-47', 'SE-68'] }, async () => {
    expect(await ask('csv', csvOf([record('1', 300, [1]), record('1', 300, [])]))).toMatchObject({ message: 'the primary key is not unique' });
    const numbers = Object.fromEntries(Array.from({ length: 300 }, (_, place) => [`n${place}`, String(place)]));
    const numeric = Object.keys(numbers);
    expect(await ask('csv', csvOf([{ k: '1', ...numbers }]), { numeric })).toEqual({ count: 0, hits: [] });
    const answer = await ask('csv', csvOf([{ k: '1', ...numbers, n299: 'needle' }]), { numeric });
    expect(answer).toEqual({ error: 'EXECUTION_FAILED', message: 'a column that is declared numeric holds something else' });
  });

  it('has at most 10,000 columns, and the refusal says what to do', { tags: ['SE-69'] }, async () => {
    const answer = await ask('csv', csvOf([record('1', 10_000, [])]));
    const message = 'a file of columns has at most 10000 of them here, and JSON Lines has no such limit; this one has 10001';
    expect(answer).toEqual({ error: 'RESOURCE_EXHAUSTED', message });
  });
});
