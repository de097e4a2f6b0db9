import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createScanPool, type ScanPoolOptions } from '../../../src/adapters/search-process/pool.ts';
import type { ScanAnswer, Scanner, ScanRequest } from '../../../src/core/ports/index.ts';

const MEGABYTE = 1024 * 1024;
const running: Scanner[] = [];

afterEach(async () => {
  for (const pool of running.splice(0)) await pool.stop();
});

async function startPool(options: Partial<ScanPoolOptions> = {}): Promise<{ pool: Scanner; ends: string[] }> {
  const ends: string[] = [];
  const pool = createScanPool({
    entry: new URL('../../support/search-child.ts', import.meta.url),
    args: [],
    size: 1,
    maxBytes: 128 * MEGABYTE,
    onEnd: (why) => ends.push(why),
    ...options,
  });
  running.push(pool);
  await pool.start();
  return { pool, ends };
}

function request(query: string): ScanRequest {
  return { scope: { kind: 'files', path: '/nowhere' }, query, maxResults: 1 };
}

const never = new AbortController().signal;

function pidOf(answer: ScanAnswer): number {
  return answer.ok ? Number(answer.found.hits[0]?.match_snippet) : Number.NaN;
}

describe('the pool of search processes', () => {
  it('answers from a process apart, the same one for one search after the other', async () => {
    const { pool } = await startPool();
    const first = await pool.scan(request('a'), never);
    const second = await pool.scan(request('b'), never);
    expect(first).toMatchObject({ ok: true, found: { count: 1, hits: [{ id: 'a' }] } });
    expect(pidOf(second)).toBe(pidOf(first));
    expect(pidOf(first)).not.toBe(process.pid);
  });

  it('kills a search that takes more memory than it may, answers RESOURCE_EXHAUSTED and goes on with a new process', { tags: ['SE-69'] }, async () => {
    const { pool, ends } = await startPool();
    const before = await pool.scan(request('a'), never);
    expect(await pool.scan(request('grow'), never)).toMatchObject({ ok: false, code: 'RESOURCE_EXHAUSTED' });
    expect(ends).toEqual(['memory']);
    const after = await pool.scan(request('a'), never);
    expect(after.ok).toBe(true);
    expect(pidOf(after)).not.toBe(pidOf(before));
  });

  it('ends a search at once that never returns to its event loop, when it is told to stop', async () => {
    const { pool, ends } = await startPool();
    const controller = new AbortController();
    const spinning = pool.scan(request('spin'), controller.signal);
    setTimeout(() => controller.abort('timeout'), 100);
    expect(await spinning).toEqual({ ok: false, code: 'EXECUTION_FAILED', message: 'the search was stopped' });
    expect(ends).toEqual(['stopped']);
    expect((await pool.scan(request('a'), never)).ok).toBe(true);
  });

  it('answers EXECUTION_FAILED for a process that ends by itself, and replaces it', async () => {
    const { pool, ends } = await startPool();
    expect(await pool.scan(request('die'), never)).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
    expect(ends).toEqual(['died']);
    expect((await pool.scan(request('a'), never)).ok).toBe(true);
  });

  it('answers an error that nobody foresaw with its code and none of its words', async () => {
    const { pool } = await startPool();
    expect(await pool.scan(request('throw'), never)).toEqual({
      ok: false,
      code: 'EXECUTION_FAILED',
      message: 'the source could not be read to its end (EIO)',
    });
  });

  it('replaces a process that has kept memory, so that the next search finds its room', async () => {
    const { pool, ends } = await startPool();
    const first = await pool.scan(request('keep'), never);
    const second = await pool.scan(request('a'), never);
    expect(ends).toEqual(['grown']);
    expect(pidOf(second)).not.toBe(pidOf(first));
  });

  it('runs as many searches at the same time as it has processes, and lets the others wait', async () => {
    const { pool } = await startPool({ size: 2 });
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((query) => pool.scan(request(query), never)));
    expect(answers.map((answer) => (answer.ok ? answer.found.hits[0]?.id : answer.code))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(new Set(answers.map(pidOf)).size).toBe(2);
  });

  it('leaves no process behind when it is stopped, not even one in the midst of a search', { tags: ['SE-09'] }, async () => {
    const { pool } = await startPool({ size: 2 });
    const idle = pidOf(await pool.scan(request('a'), never));
    const spinning = pool.scan(request('spin'), never);
    await pool.stop();
    expect(await spinning).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
    expect(() => process.kill(idle, 0)).toThrow(/ESRCH/);
  });

  it('leaves no sibling behind when one of its processes cannot start', { tags: ['SE-09'] }, async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-pool-'));
    const pidFile = path.join(directory, 'pid');
    const entry = new URL('../../support/lone-search-child.ts', import.meta.url);
    await expect(startPool({ entry, args: [pidFile], size: 2 })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow(/ESRCH/);
    rmSync(directory, { recursive: true });
  });

  it('refuses to start when its process cannot', async () => {
    await expect(startPool({ entry: new URL('../../support/no-such-child.ts', import.meta.url) })).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
