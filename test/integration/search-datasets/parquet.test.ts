import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatasetBench, type DatasetCase, writeParquet } from '../../support/datasets.ts';

/** Files written by pyarrow, and their records as JSON: see make.py there. */
const FIXTURES = fileURLToPath(new URL('../../fixtures/datasets/', import.meta.url));
const Fixture = z.object({ rows: z.array(z.object({ key: z.string(), fields: z.record(z.string(), z.string()) })) });
const KINDS = ['text', 'int64', 'uint64', 'decimal', 'double'];
const QUERIES = ['fade', 'FADE', 'a', 'A', '\u{1F600}', '\uFF5E', 'é', '\n', '"', '\0', '%', 'fadefa', 'absent'];
/** How a field is searched does not depend on the kind of the key. */
const FEWER = ['fade', 'a', 'é', 'absent'];

let bench: Awaited<ReturnType<typeof createDatasetBench>>;
beforeAll(async () => {
  bench = await createDatasetBench();
});
afterAll(() => bench.close());

const caseOf = (name: string, query: string, maxResults = 1000): DatasetCase => ({
  format: 'parquet',
  path: path.join(FIXTURES, `${name}.parquet`),
  table: '',
  primaryKey: 'key',
  numeric: [],
  query,
  maxResults,
});

const bytes = (text: string) => Buffer.from(text);

/** The keys of the fixture in the form of an id, in order, with the first matching field: from the JSON alone. */
function expected(name: string, rows: z.infer<typeof Fixture>['rows'], query: string) {
  const hits = rows.flatMap(({ key, fields }) => {
    const names = Object.keys(fields).sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
    const field = names.find((one) => fields[one]?.includes(query));
    return field === undefined ? [] : [{ key, field, text: fields[field] ?? '' }];
  });
  const compare = {
    text: (a: string, b: string) => Buffer.compare(bytes(a), bytes(b)),
    int64: (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : 1),
    uint64: (a: string, b: string) => (BigInt(a) < BigInt(b) ? -1 : 1),
    // Two digits after the point: without it they are integers.
    decimal: (a: string, b: string) => (BigInt(a.replace('.', '')) < BigInt(b.replace('.', '')) ? -1 : 1),
    double: (a: string, b: string) => Number(a) - Number(b),
  }[name];
  return hits.sort((a, b) => compare?.(a.key, b.key) ?? 0);
}

/** 100 code points before the first match, the match, 100 after it, of all this the first 200. */
function around(text: string, query: string): string {
  const points = [...text];
  const before = [...text.slice(0, text.indexOf(query))].length;
  return points
    .slice(Math.max(0, before - 100), before + [...query].length + 100)
    .slice(0, 200)
    .join('');
}

const idOf = (name: string, key: string) => {
  if (name === 'decimal') return key.replace(/\.?0+$/, '');
  return name === 'double' ? Number(key).toString().replace(/^-0$/, '0') : key;
};

describe('a search of a Parquet file', () => {
  it.each(KINDS)(
    'answers like a plain filter and sort of the same records, with keys of kind %s',
    { tags: ['SE-28', 'SE-48', 'SE-49', 'SE-51', 'SE-53', 'SE-54'] },
    async (kind) => {
      const { rows } = Fixture.parse(JSON.parse(await fs.readFile(path.join(FIXTURES, `${kind}.json`), 'utf8')));
      for (const query of kind === 'text' ? QUERIES : FEWER) {
        const answer = await bench.search(caseOf(kind, query));
        const wanted = expected(kind, rows, query);
        expect(answer).toMatchObject({ count: wanted.length });
        if ('error' in answer) continue;
        const ids = answer.hits.map(({ id, match_field }) => [kind === 'double' ? Number(id) : id, match_field]);
        expect(ids).toEqual(wanted.map(({ key, field }) => [kind === 'double' ? Number(key) : idOf(kind, key), field]));
        expect(answer.hits.map((hit) => hit.match_snippet)).toEqual(wanted.map(({ text }) => around(text, query)));
      }
    },
  );

  it.each([
    ['repeated', 'the primary key is not unique'],
    ['minus-zero', 'the primary key is not unique'],
    ['null-key', 'a record has no usable primary key'],
    ['nan-key', 'a record has no usable primary key'],
    ['date-key', 'the primary key is neither text nor a number'],
    ['same-names', 'two columns have the same name'],
  ])('fails on %s, whether or not such a record matches', { tags: ['SE-47'] }, async (name, message) => {
    expect(await bench.search(caseOf(name, 'absent'))).toEqual({ error: 'EXECUTION_FAILED', message });
  });

  it.each([
    ['numbers', 'SELECT i AS key, i * 2 AS n FROM range(3) t(i)'],
    ['JSON', 'SELECT i AS key, \'"fade"\'::JSON AS n FROM range(3) t(i)'],
    ['bytes', "SELECT i AS key, 'fade'::BLOB AS n FROM range(3) t(i)"],
  ])('has an empty answer where all columns hold %s, and a repeated key fails there, too', { tags: ['SE-47', 'SE-58'] }, async (_, sql) => {
    const file = path.join(bench.directory, 'no-text.parquet');
    await writeParquet(file, sql);
    expect(await bench.search({ ...caseOf('', 'fade'), path: file })).toEqual({ count: 0, hits: [] });
    await writeParquet(file, `${sql} UNION ALL ${sql}`);
    expect(await bench.search({ ...caseOf('', 'fade'), path: file })).toEqual({ error: 'EXECUTION_FAILED', message: 'the primary key is not unique' });
  });

  it('fails on a file that is cut off or altered', { tags: ['SE-68'] }, async () => {
    const whole = await fs.readFile(path.join(FIXTURES, 'text.parquet'));
    const cut = path.join(bench.directory, 'cut.parquet');
    await fs.writeFile(cut, whole.subarray(0, whole.length - 100));
    expect(await bench.search({ ...caseOf('text', 'a'), path: cut })).toMatchObject({ error: 'EXECUTION_FAILED' });
    whole.fill(0x5a, 2000, 2400);
    await fs.writeFile(cut, whole);
    expect(await bench.search({ ...caseOf('text', 'a'), path: cut })).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it('gives the same answer again, with one thread as with two, and leaves nothing behind', { tags: ['SE-02', 'SE-61', 'SE-03'] }, async () => {
    const single = await createDatasetBench(1);
    const answers = [await bench.search(caseOf('text', 'a', 7)), await bench.search(caseOf('text', 'a', 7)), await single.search(caseOf('text', 'a', 7))];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await fs.readdir(bench.spillDirectory)).toEqual([]);
    await single.close();
  });
});
