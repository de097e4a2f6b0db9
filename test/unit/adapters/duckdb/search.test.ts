import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvLayout } from '../../../../src/adapters/duckdb/csv-layout.ts';
import { search } from '../../../../src/adapters/duckdb/search.ts';
import { loadDuckDb, withSession } from '../../../../src/adapters/duckdb/session.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'writ-duckdb-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Searches a CSV file with the real DuckDB, and counts how often it is asked: each question reads the whole file. */
async function searched(text: string, numeric: readonly string[] = ['id']) {
  const duckdb = await loadDuckDb();
  if (duckdb === undefined) throw new Error('DuckDB is not installed');
  const file = path.join(directory, 'rows.csv');
  await writeFile(file, text);
  const handle = await open(file);
  let passes = 0;
  try {
    const answer = await withSession(duckdb, file, { spillDirectory: directory, memoryBytes: 128_000_000, threads: 2 }, async (session) => {
      const scope = { kind: 'datasets' as const, format: 'csv' as const, path: file, table: '', primaryKey: 'id', numeric };
      const layout = await csvLayout(scope, { fd: handle.fd, path: file });
      const counted: typeof session = {
        rows(sql, values) {
          passes += 1;
          return session.rows(sql, values);
        },
      };
      return search(counted, layout, 'x', 10).catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'));
    });
    return { answer, passes };
  } finally {
    await handle.close();
  }
}

describe('a search of columns', () => {
  it('finds matches and proves that no key repeats in one pass over the file', { tags: ['SE-48'] }, async () => {
    expect(await searched('id,a\n2,x\n1,y\n')).toEqual({ answer: { count: 1, matches: [{ key: 2n, field: 'a', text: 'x' }] }, passes: 1 });
    expect(await searched('id,a\nb,x\na,y\n', [])).toEqual({ answer: { count: 1, matches: [{ key: 'b', field: 'a', text: 'x' }] }, passes: 1 });
  });

  it('refuses keys that repeat, numbers and texts, and reads again only then', { tags: ['SE-48'] }, async () => {
    expect(await searched('id,a\n1,x\n2,y\n1,z\n')).toEqual({ answer: 'the primary key is not unique', passes: 3 });
    expect(await searched('id,a\n1.0,x\n2,y\n1,z\n')).toEqual({ answer: 'the primary key is not unique', passes: 4 });
    expect(await searched('id,a\nq,x\nr,y\nq,z\n', [])).toEqual({ answer: 'the primary key is not unique', passes: 3 });
  });
});
