import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSorted } from '../../../../bench/search-executor/find.ts';
import { csvOf } from '../../../../bench/search-executor/rows.ts';
import { shuffled } from '../../../../bench/search-executor/shuffle.ts';
import { sizesAt } from '../../../../bench/search-executor/sizes.ts';
import { treeOf, writeTree } from '../../../../bench/search-executor/tree.ts';
import { compareCodePoints } from '../../../../src/core/code-points.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-bench-test-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the tree of files', () => {
  const pathsOf = (count: number) => [...treeOf(count)].flatMap(({ path: folder, files }) => files.map((file) => path.join(folder, file)));

  it('has exactly as many files as asked for, each once, the same ones each time', () => {
    const paths = pathsOf(5000);
    expect(new Set(paths).size).toBe(5000);
    expect(pathsOf(5000)).toEqual(paths);
  });

  it('is found by find in the order of code points, without links and folders that have the word', async () => {
    writeTree(home, 1500);
    const { paths } = await findSorted(home, 'invoice');
    const expected = pathsOf(1500).filter((file) => path.basename(file).includes('invoice'));
    expect(expected.length).toBeGreaterThan(5);
    expect(paths).toEqual(expected.sort(compareCodePoints));
    expect(readdirSync(home).some((name) => name.includes('invoice.link'))).toBe(true);
  });

  it('leaves find without a match an empty list', async () => {
    expect((await findSorted(home, 'nothing')).paths).toEqual([]);
  });
});

describe('the records', () => {
  it('have a key each, in no order, and are the same each time', () => {
    const lines = [...csvOf(2000)].join('').trimEnd().split('\n');
    const keys = lines.slice(1).map((line) => Number(line.split(',')[0]));
    expect(lines[0]).toBe('id,name,email,city,note,amount');
    expect([...keys].sort((a, b) => a - b)).toEqual(Array.from({ length: 2000 }, (_, n) => n + 1));
    expect(keys).not.toEqual([...keys].sort((a, b) => a - b));
    expect([...csvOf(2000)].join('').trimEnd().split('\n')).toEqual(lines);
    expect(lines.some((line) => line.includes('overdue'))).toBe(true);
  });
});

describe('sizes', () => {
  it('are those of the issue, or a share of them', () => {
    expect(sizesAt(1)).toEqual({ files80k: 80_000, files1m: 1_000_000, rows: 10_000_000, messages: 100_000 });
    expect(sizesAt(0.01)).toEqual({ files80k: 800, files1m: 10_000, rows: 100_000, messages: 1000 });
  });

  it('are shuffled without a repetition', () => {
    for (const count of [100, 1000, 99_991]) expect(new Set(Array.from({ length: count }, (_, index) => shuffled(index, count))).size).toBe(count);
  });
});
