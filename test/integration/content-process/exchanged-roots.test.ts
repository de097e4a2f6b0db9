import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  [starts, losses] = [0, 0];
  await searchOf([root]);
});
afterEach(async () => {
  await tool.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The tool of a server with these allowed roots. */
async function searchOf(roots: readonly string[]): Promise<void> {
  const sandbox = { allowed_roots: [...roots], allow_absolute: true };
  const config = ConfigSchema.parse({ tools: { search: { enabled: true }, sandbox } });
  const search = createServerSearch(config, userSurroundings(), { onReady: () => (starts += 1), onLoss: () => (losses += 1) });
  const [part] = search.parts;
  if (part === undefined) throw new Error('the settings allow searches');
  tool = { ...part, search: search.search };
  await tool.start();
}

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

const AWAY = 'ExecutionFailed: No such file or directory: ';

it('no other root answers for the first one while it is away, whether it goes or was never there', async () => {
  await tool.stop();
  const second = path.join(home, 'second');
  mkdirSync(path.join(second, 'only'), { recursive: true });
  for (const name of ['b.txt', 'only/c.txt']) writeFileSync(path.join(second, name), 'hello second\n');
  const expectAway = async () => {
    expect(await found()).toBe(`${AWAY}"."`);
    expect(await found({ path: 'only' })).toBe(`${AWAY}"only"`);
    expect(await found({ path: root })).toBe(`${AWAY}${JSON.stringify(root)}`);
    expect(await found({ path: path.join(second, 'only') })).toEqual(['hello second']);
  };
  await searchOf([root, second]);
  expect(await found()).toEqual(['hello old']);
  renameSync(root, path.join(home, 'away'));
  await expectAway();
  await tool.stop();
  await searchOf([root, second]);
  await expectAway();
  renameSync(path.join(home, 'away'), root);
  expect(await found()).toEqual(['hello old']);
  expect(losses).toBe(0);
});

it('a root that is a link is searched where it leads, also after that was away or exchanged', async () => {
  await tool.stop();
  const [link, second] = [path.join(home, 'link'), path.join(home, 'second')];
  mkdirSync(second);
  writeFileSync(path.join(second, 'b.txt'), 'hello second\n');
  symlinkSync(root, link);
  renameSync(root, path.join(home, 'away'));
  await searchOf([link, second]);
  expect(await found()).toBe(`${AWAY}"."`);
  renameSync(path.join(home, 'away'), root);
  expect(await found()).toEqual(['hello old']);
  exchange('new');
  expect(await found()).toEqual(['hello new']);
  expect(losses).toBe(0);
});
