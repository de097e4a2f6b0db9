import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userSurroundings } from '../../../config/load.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { type ContentProcessFacts, createContentProcess } from '../../../src/content-search/process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../../../src/content-search/process/entry.ts';
import { contentSettings } from '../../../src/content-search/settings/content-settings.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { ContentSearch, ContentSearchOutcome } from '../../../src/core/ports/index.ts';
import { processEntry } from '../../../src/core/process-entry.ts';
import { forkScript } from '../../support/compiled/script.ts';

const never = () => new AbortController().signal;
/** Takes a backend minutes on a line of many a's. */
const SLOW = { pattern: '(a|aa)+$', path: 'slow', timeout_ms: 120_000 };

let home: string;
let root: string;
const secret = () => path.join(home, 'secret');
const losses: string[] = [];
const facts: ContentProcessFacts[] = [];
let tool: ContentSearch & Lifecycle;

beforeAll(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-content-'));
  root = path.join(home, 'root');
  for (const name of ['root/docs', 'root/slow', 'secret']) mkdirSync(path.join(home, name), { recursive: true });
  writeFileSync(path.join(root, 'docs', 'a.txt'), 'hello world\n');
  writeFileSync(path.join(secret(), 'a.txt'), 'hello TOP SECRET\n');
  // A FIFO would be passed over; a file of many lines keeps a backend busy for as long as the test wants.
  writeFileSync(path.join(root, 'slow', 'a.txt'), `${'a'.repeat(40)}b\n`.repeat(2_000_000));
  tool = process_({ allowed_roots: [root] });
  await tool.start();
});
afterAll(async () => {
  await tool.stop();
  rmSync(home, { recursive: true, force: true });
});

function process_(sandbox: Record<string, unknown>): ContentSearch & Lifecycle {
  const config = ConfigSchema.parse({ tools: { search: { enabled: true }, sandbox } });
  return createContentProcess({
    entry: contentProcessEntry(),
    args: [contentProcessArgument({ settings: contentSettings(config, userSurroundings()), landlock: 0 })],
    defaultTimeoutMs: config.tools.search.default_timeout_ms,
    onReady: (found) => facts.push(found),
    onLoss: (why) => losses.push(why),
  });
}

const texts = (outcome: ContentSearchOutcome): readonly string[] =>
  outcome.ok ? outcome.answer.matches.map(({ data }) => `${data.path.text}: ${data.lines.text}`) : [`${outcome.error.code}: ${outcome.error.message}`];

/** Processes whose parent is `pid`. */
function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number);
}
function searching(): number {
  const pid = children(process.pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('content-process'));
  if (pid === undefined) throw new Error('no process of content searches runs');
  return pid;
}

describe('the process of content searches', () => {
  it('is confined by the kernel and answers a search', async () => {
    expect(facts[0]).toMatchObject({ landlock: expect.any(Number), backend: expect.stringMatching(/^(ugrep|rg)@/) });
    expect(facts[0]?.landlock).toBeGreaterThan(0);
    expect(texts(await tool.search({ pattern: 'hello', path: 'docs' }, never()))).toEqual(['docs/a.txt: hello world']);
  });

  it('answers what is wrong with a request', async () => {
    expect(await tool.search({ pattern: 'x', path: '../secret' }, never())).toMatchObject({ ok: false, error: { code: 'BadArgs', field: 'path' } });
    expect(await tool.search({ pattern: 'x', paths: [] }, never())).toMatchObject({ ok: false, error: { code: 'BadArgs', field: 'paths' } });
  });

  it('serves many searches at once, each with its own answer', async () => {
    const asked = Array.from({ length: 20 }, (_, n) => ({ pattern: n % 2 === 0 ? 'hello' : 'nothing', path: 'docs' }));
    const answers = await Promise.all(asked.map((request) => tool.search(request, never())));
    expect(answers.map((outcome) => texts(outcome).length)).toEqual(asked.map((_, n) => (n % 2 === 0 ? 1 : 0)));
  });

  it('reads nothing outside of the root, whatever links change under a search', { tags: ['SEC-LSI-01'] }, async () => {
    const place = path.join(root, 'swap');
    const [honest, hostile] = [`${place}.honest`, `${place}.hostile`];
    mkdirSync(honest);
    writeFileSync(path.join(honest, 'a.txt'), 'hello inside\n');
    symlinkSync(secret(), hostile);
    let swaps = 0;
    let over = false;
    const swapping = (async () => {
      while (!over) {
        renameSync(honest, place);
        await Promise.resolve();
        renameSync(place, honest);
        renameSync(hostile, place);
        await new Promise((resolve) => setImmediate(resolve));
        renameSync(place, hostile);
        swaps += 1;
      }
    })();
    const seen = new Set<string>();
    for (let n = 0; n < 60 || swaps <= 60; n += 1)
      for (const text of texts(await tool.search({ pattern: 'hello', path: n % 3 === 0 ? 'swap' : '.', follow: n % 2 === 0, glob: ['!slow'] }, never())))
        seen.add(text);
    over = true;
    await swapping;
    expect(swaps).toBeGreaterThan(60);
    expect([...seen].filter((text) => text.includes('SECRET'))).toEqual([]);
    expect(seen).toContain('docs/a.txt: hello world');
  });

  it('ends a search that nobody waits for, and its backends', async () => {
    const stop = new AbortController();
    const asked = tool.search(SLOW, stop.signal);
    await expect.poll(() => children(searching()).length).toBeGreaterThan(0);
    stop.abort();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'ExecutionFailed' } });
    await expect.poll(() => children(searching())).toEqual([]);
  });

  it('is replaced when it is killed; its searches answer ExecutionFailed, its backends are gone', async () => {
    const before = searching();
    const asked = tool.search(SLOW, never());
    await expect.poll(() => children(before).length).toBeGreaterThan(0);
    const backends = children(before);
    process.kill(before, 'SIGKILL');
    expect(await asked).toEqual({ ok: false, error: { code: 'ExecutionFailed', message: 'the process of the search ended unexpectedly' } });
    expect(losses).toEqual(['died']);
    await expect.poll(() => backends.filter(isAlive)).toEqual([]);
    expect(texts(await tool.search({ pattern: 'hello', path: 'docs' }, never()))).toEqual(['docs/a.txt: hello world']);
    expect(searching()).not.toBe(before);
  });

  it('gives its backends nothing of the environment of its parent', () => {
    const names = readFileSync(`/proc/${searching()}/environ`, 'latin1')
      .split('\0')
      .map((entry) => entry.split('=')[0]);
    expect(names.filter((name) => name !== '').toSorted()).toEqual(['LC_ALL', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'OPENSSL_CONF', 'TZ']);
  });

  it('dies with its parent, and its backends with it', async () => {
    const { file, execArgv } = processEntry(new URL('./parent-child.ts', import.meta.url));
    const parent = spawn(process.execPath, [...execArgv, file, root, JSON.stringify(SLOW)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    expect(pids.length).toBeGreaterThanOrEqual(2);
    expect(pids.filter(isAlive)).toEqual(pids);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it('says why every search fails when there is nothing to search with or in', async () => {
    const nowhere = process_({ allowed_roots: [path.join(home, 'absent')] });
    await nowhere.start();
    expect(facts.at(-1)).toMatchObject({ problem: 'none of the allowed roots is a directory here' });
    expect(await nowhere.search({ pattern: 'x' }, never())).toMatchObject({ ok: false, error: { code: 'ExecutionFailed' } });
    await nowhere.stop();
    expect(await nowhere.search({ pattern: 'x' }, never())).toMatchObject({ ok: false, error: { code: 'ExecutionFailed' } });
  });

  it('leaves no descriptor behind after many searches', async () => {
    const open = () => readdirSync(`/proc/${searching()}/fd`).length;
    await tool.search({ pattern: 'hello', path: 'docs' }, never());
    const before = open();
    for (let n = 0; n < 20; n += 1) await tool.search({ pattern: 'hello', path: 'docs' }, never());
    await expect.poll(open).toBeLessThanOrEqual(before);
  });
});

describe('a process whose parent is gone before it has started', () => {
  it.each(['launch', 'content-process'])('ends, whenever that was (%s)', async (module) => {
    const config = ConfigSchema.parse({ tools: { search: { enabled: true }, sandbox: { allowed_roots: [root] } } });
    const argument = contentProcessArgument({ settings: contentSettings(config, userSurroundings()), landlock: 0 });
    const child = forkScript(new URL(`../../../src/content-search/process/${module}.ts`, import.meta.url), [argument]);
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

/** A zombie that waits for its new parent is no longer alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
