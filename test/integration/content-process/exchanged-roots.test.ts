import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { userSurroundings } from '../../../config/load.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { createServerSearch } from '../../../src/content-search/settings/server-search.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { ContentSearch } from '../../../src/core/ports/index.ts';

/** The kernel confines the process to the directories that stood at the roots' paths when it was started. */
let home: string;
let root: string;
let tool: ContentSearch & Lifecycle;
let starts: number;
let losses: number;

beforeEach(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-roots-'));
  root = path.join(home, 'root');
  mkdirSync(path.join(root, 'docs'), { recursive: true });
  writeFileSync(path.join(root, 'docs', 'a.txt'), 'hello old\n');
  const config = ConfigSchema.parse({ tools: { search: { enabled: true }, sandbox: { allowed_roots: [root] } } });
  const search = createServerSearch(config, userSurroundings(), { onReady: () => (starts += 1), onLoss: () => (losses += 1) });
  const [part] = search.parts;
  if (part === undefined) throw new Error('the settings allow searches');
  [starts, losses] = [0, 0];
  tool = { ...part, search: search.search };
  await tool.start();
});
afterEach(async () => {
  await tool.stop();
  rmSync(home, { recursive: true, force: true });
});

async function found(more: Record<string, unknown> = {}): Promise<readonly string[] | string> {
  const outcome = await tool.search({ pattern: 'hello', path: '.', ...more }, new AbortController().signal);
  return outcome.ok ? outcome.answer.matches.map(({ data }) => data.lines.text ?? '') : `${outcome.error.code}: ${outcome.error.message}`;
}

function exchange(text: string): void {
  renameSync(root, path.join(home, `away-${text}`));
  mkdirSync(path.join(root, 'docs'), { recursive: true });
  writeFileSync(path.join(root, 'docs', 'a.txt'), `hello ${text}\n`);
}

it('a root that was exchanged is searched as it stands now, by a process that may read it', async () => {
  expect(await found()).toEqual(['hello old']);
  expect(await found()).toEqual(['hello old']);
  expect(starts).toBe(1);
  exchange('new');
  expect(await Promise.all([found(), found(), found()])).toEqual([['hello new'], ['hello new'], ['hello new']]);
  exchange('newer');
  expect(await found()).toEqual(['hello newer']);
  expect([starts, losses]).toEqual([3, 0]);
});

it('a search that runs when its root is exchanged ends in its own process', async () => {
  // Minutes, on lines of many a's; its time limit ends it.
  writeFileSync(path.join(root, 'slow.txt'), `${'a'.repeat(40)}b\n`.repeat(200_000));
  const slow = found({ pattern: '(a|aa)+$', path: 'slow.txt', timeout_ms: 1000 });
  await found();
  exchange('new');
  expect(await found()).toEqual(['hello new']);
  // By its time limit or its end, not by the loss of its process.
  expect(await slow).not.toEqual(expect.stringContaining('ended unexpectedly'));
  expect([starts, losses]).toEqual([2, 0]);
});

it('a root that is away is told, and found again', async () => {
  renameSync(root, path.join(home, 'away'));
  expect(await found()).toMatch(/^[A-Z][A-Za-z]+: /);
  renameSync(path.join(home, 'away'), root);
  expect(await found()).toEqual(['hello old']);
});
