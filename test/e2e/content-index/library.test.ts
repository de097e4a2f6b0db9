import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContentIndexOptions, type ContentSearchTool, openContentSearch } from '../../../src/content-search/index.ts';

let home: string;
let [tree, cache] = ['', ''];
let tool: ContentSearchTool | undefined;
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-library-')));
  [tree, cache] = [path.join(home, 'tree'), path.join(home, 'cache')];
  mkdirSync(tree);
  for (let at = 0; at < 50; at += 1) writeFileSync(path.join(tree, `f${at}.txt`), `number ${at}\n`);
});
afterEach(async () => {
  await tool?.close();
  tool = undefined;
  rmSync(home, { recursive: true });
});

const plain = (index?: ContentIndexOptions): Promise<ContentSearchTool> =>
  openContentSearch({ roots: [tree], emitStats: true, ...(index === undefined ? {} : { index }) });

/** With an index that is built and compared with the tree. */
async function complete(index: ContentIndexOptions): Promise<ContentSearchTool> {
  let tell: () => void = () => undefined;
  const built = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const opened = await plain({ ...index, onState: (_root, state) => state === 'COMPLETE' && tell() });
  await built;
  return opened;
}

/** A search that the index served: one that comes in the moment of its last change, or waits too long for a busy machine, is made again. */
async function searched(opened: ContentSearchTool, pattern: string) {
  for (;;) {
    const found = await opened.search({ pattern, fixed_strings: true });
    if (!found.ok) throw new Error(found.error.message);
    const { stats, count } = found.answer;
    if (stats?.index_bypass === 'VETO' || stats?.index_bypass === 'NO_HOST') continue;
    return { count, bypass: stats?.index_bypass, excluded: stats?.candidates_excluded };
  }
}

describe('the library with an index', () => {
  it.each(['sqlite', 'memory'] as const)('keeps an index (%s) in its own threads, until it is closed', async (storage) => {
    tool = await complete({ mode: 'on', directory: cache, storage });
    expect(await searched(tool, 'number 42')).toEqual({ count: 1, bypass: null, excluded: 49 });
    writeFileSync(path.join(tree, 'more.txt'), 'number 42\n');
    expect(await searched(tool, 'number 42')).toMatchObject({ count: 2, bypass: null });
    await tool.close();
    expect(tool.indexes()).toEqual([]);
    if (storage === 'memory') expect(() => readdirSync(cache)).toThrow();
  });

  it('goes on from the index of the program before it', { tags: ['FR-LSI-IDX-STOR-01'] }, async () => {
    tool = await complete({ mode: 'on', directory: cache });
    const generation = tool.indexes()[0]?.generation;
    await tool.close();
    tool = await complete({ mode: 'on', directory: cache });
    expect(await searched(tool, 'number 7')).toMatchObject({ count: 1 });
    expect(tool.indexes()[0]?.generation).toBe(generation);
  });

  it('keeps none for a small tree when only large ones are to have one', { tags: ['FR-LSI-BG-05.3'] }, async () => {
    tool = await plain({ mode: 'auto', directory: cache });
    expect(tool.indexes()).toMatchObject([{ state: 'DISABLED', reason: 'BELOW_THRESHOLD', serving: false }]);
    const found = await tool.search({ pattern: 'number 42' });
    expect(found).toMatchObject({ ok: true, answer: { count: 1 } });
  });

  it('says why there is no index, and searches all the same', async () => {
    tool = await plain({ mode: 'on', directory: cache });
    const reasons: string[] = [];
    const other = await plain({ mode: 'on', directory: cache, onStandBy: (why) => reasons.push(why) });
    try {
      expect(reasons).toEqual([expect.stringContaining('another process hosts')]);
      expect(await other.search({ pattern: 'number 42' })).toMatchObject({ ok: true, answer: { count: 1 } });
    } finally {
      await other.close();
    }
  });

  it('has neither thread, socket nor file of an index without the option', { tags: ['FR-LSI-ROLL-01', 'FR-LSI-ROLL-03'] }, async () => {
    tool = await plain();
    const found = await tool.search({ pattern: 'number 42', fixed_strings: true });
    expect(found.ok && found.answer.stats).toMatchObject({ index_bypass: 'INDEX_OFF', index_safety_state: 'DISABLED', storage_mode: 'none' });
    expect(tool.indexes()).toEqual([]);
    expect(readdirSync(home)).toEqual(['tree']);
  });
});
