import fs from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatasetBench, type DatasetAnswer, type DatasetCase, writeParquet } from '../support/datasets.ts';
import { cases } from '../support/oracle-runs.ts';

let bench: Awaited<ReturnType<typeof createDatasetBench>>;
beforeAll(async () => {
  bench = await createDatasetBench();
});
afterAll(() => bench.close());

function ask(format: DatasetCase['format'], file: string): Promise<DatasetAnswer> {
  const numeric = format === 'csv' ? ['k'] : [];
  return bench.search({ format, path: file, table: '', primaryKey: 'k', numeric, query: 'needle', maxResults: 7 });
}

/** One record for each key, and every third of them does not match. */
const textAt = (place: number): string => (place % 3 === 2 ? 'hay' : `needle ${place}`);

async function asCsv(keys: readonly string[]): Promise<DatasetAnswer> {
  const file = path.join(bench.directory, 'keys.csv');
  await fs.writeFile(file, `k,a\n${keys.map((key, place) => `${key},${textAt(place)}\n`).join('')}`);
  return ask('csv', file);
}

async function asJsonLines(keys: readonly string[]): Promise<DatasetAnswer> {
  const file = path.join(bench.directory, 'keys.jsonl');
  await fs.writeFile(file, keys.map((key, place) => `{"k":${key},"a":"${textAt(place)}"}\n`).join(''));
  return ask('jsonl', file);
}

async function asParquet(keys: readonly string[], type: string): Promise<DatasetAnswer> {
  const file = path.join(bench.directory, 'keys.parquet');
  const rows = keys.map((key, place) => `('${key}'::${type}, '${textAt(place)}')`).join(', ');
  await writeParquet(file, `SELECT * FROM (VALUES ${rows}) t(k, a)`);
  return ask('parquet', file);
}

const EDGES = [0n, 2n ** 53n, -(2n ** 53n), 2n ** 63n, -(2n ** 63n), 2n ** 64n, 2n ** 127n, -(2n ** 127n), 10n ** 37n, 10n ** 22n];
const near = fc.tuple(fc.constantFrom(...EDGES), fc.bigInt(-3n, 3n)).map(([edge, by]) => edge + by);
const long = fc.tuple(fc.bigInt(-(10n ** 45n), 10n ** 45n), fc.nat({ max: 270 })).map(([head, zeros]) => head * 10n ** BigInt(zeros));
const integers = (min: bigint, max: bigint) =>
  fc.oneof(
    near.filter((one) => one >= min && one <= max),
    fc.bigInt(min, max),
    fc.bigInt(min < 0n ? -99n : 0n, 99n),
  );
/** Fractions and exponents, and whole numbers in such forms: JSON as well as CSV. */
const written = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  near.map((one) => `${one}.0`),
  near.map((one) => `${one}.${'0'.repeat(20)}1`),
  fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -330, max: 310 })).map(([digits, exponent]) => `${digits}e${exponent}`),
  fc.constantFrom('0.5', '1e3', '-0', '-0.0', '5e-324', '1E+2', '-1.5e-7', '9007199254740991.9'),
);
/** JavaScript writes the shortest digits that lead to a large double; digits alone are exact, so they have to be its own. */
const inFull = (double: number): string => (Number.isInteger(double) && Math.abs(double) < 1e21 ? BigInt(double).toString() : String(double));
const anything = fc.oneof(near.map(String), long.map(String), written);
const some = (key: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.uniqueArray(key, { minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.array(key, { minLength: 1, maxLength: 12 }) },
  );

describe('the same records with numbers as keys', () => {
  it(
    'are answered alike from CSV and JSON Lines, ids, order and repeated keys, whatever the form and size of their keys',
    {
      tags: ['SE-47', 'SE-49', 'SE-50'],
    },
    () =>
      fc.assert(
        fc.asyncProperty(some(anything), async (keys) => {
          const fromJson = await asJsonLines(keys);
          const fromCsv = await asCsv(keys);
          if ('error' in fromJson) expect(fromCsv).toMatchObject({ error: 'EXECUTION_FAILED' });
          else expect(fromCsv).toEqual(fromJson);
        }),
        { numRuns: cases(100) },
      ),
  );

  it.each([
    ['BIGINT', integers(-(2n ** 63n), 2n ** 63n - 1n).map(String)],
    ['UBIGINT', integers(0n, 2n ** 64n - 1n).map(String)],
    ['DECIMAL(38,0)', integers(-(10n ** 38n) + 1n, 10n ** 38n - 1n).map(String)],
    ['DECIMAL(14,3)', fc.integer().map((one) => String(one / 1000))],
    ['DOUBLE', fc.double({ noNaN: true, noDefaultInfinity: true }).map(inFull)],
  ])('are answered alike from CSV, JSON Lines and Parquet of type %s', { tags: ['SE-47', 'SE-49', 'SE-50'] }, (type, key) =>
    fc.assert(
      fc.asyncProperty(some(key), async (keys) => {
        const fromJson = await asJsonLines(keys);
        expect(await asCsv(keys)).toEqual(fromJson);
        expect(await asParquet(keys, type)).toEqual(fromJson);
      }),
      { numRuns: cases(24) },
    ),
  );
});
