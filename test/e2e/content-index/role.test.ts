import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostRole, type IndexInstallation, isState, startIndexInstallation } from './installation.ts';

const FILES = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at % 10}/f${at}.txt`, `file number ${at}\nneedle_${at % 100}_end\n`]));
const NEEDLE = { pattern: 'needle_42_end', fixed_strings: true };
const FOUND = ['d2/f142.txt', 'd2/f242.txt', 'd2/f42.txt'];

let writ: IndexInstallation;
let host: HostRole;
beforeAll(async () => {
  writ = await startIndexInstallation({ ...FILES, 'secret.key': 'needle_42_end\n' });
  host = writ.startHost();
  await host.until(isState('COMPLETE'));
});
afterAll(() => writ[Symbol.asyncDispose]());

interface Seen {
  readonly paths: readonly string[];
  readonly bypass: string | null | undefined;
  readonly excluded: number | undefined;
}

/** A search waits 20 ms for the host, which may be too short on a busy machine: the answer is the same then, and another is made. */
async function served<T extends { readonly stats?: { readonly index_bypass?: unknown } | undefined }>(
  search: () => Promise<T>,
  tries = Number.POSITIVE_INFINITY,
): Promise<T> {
  const found = await search();
  return found.stats?.index_bypass === 'NO_HOST' && tries > 1 ? served(search, tries - 1) : found;
}

async function look(tries?: number): Promise<Seen> {
  const { matches, stats } = await served(() => writ.search(NEEDLE), tries);
  return { paths: [...new Set(matches.map(({ data }) => data.path.text))], bypass: stats?.index_bypass, excluded: stats?.candidates_excluded };
}

interface CommandAnswer {
  readonly count: number;
  readonly stats: Record<string, unknown>;
}

describe('an installation with an index', () => {
  it('leaves files out of a search over HTTP, whose process the kernel confines to reading', { tags: ['FR-LSI-IDX-ROOT-03'] }, async () => {
    expect(await look()).toEqual({ paths: FOUND, bypass: null, excluded: 297 });
    const below = await served(() => writ.search({ ...NEEDLE, path: 'd2' }));
    expect([below.count, below.stats?.index_bypass]).toEqual([3, null]);
    expect(await writ.indexes()).toMatchObject([{ root: writ.tree, state: 'COMPLETE', serving: true, host: 'running', guarantee: 'inotify' }]);
  });

  it('serves `writ search` from its root, which sees there what servers see, and nowhere else', async () => {
    const { code, count, stats } = await served(async () => {
      const { code, out } = await writ.writ(['search', '-F', 'needle_42_end', '--json', '--stats']);
      return { code, ...(JSON.parse(out) as CommandAnswer) };
    });
    expect([code, count, stats['index_bypass'], stats['candidates_excluded']]).toEqual([0, 3, null, 297]);
    const beneath = await writ.writ(['search', '-F', 'needle_42_end', '--stats'], path.join(writ.tree, 'd2'));
    expect(beneath.out.split('\n').sort()).toEqual(['', 'f142.txt:2:needle_42_end', 'f242.txt:2:needle_42_end', 'f42.txt:2:needle_42_end']);
    expect(beneath.err).toMatch(/index_bypass +INDEX_OFF/);
    const all = await writ.writ(['search', '-F', 'needle_42_end', '--no-ignore', '--json']);
    expect(JSON.parse(all.out)).toMatchObject({ count: 4 });
  });

  it('never builds for requests with other options, which read all files', {
    tags: ['FR-LSI-IDX-SCHED-01', 'FR-LSI-IDX-SCHED-03.1', 'FR-LSI-IDX-SCHED-03.2'],
  }, async () => {
    const { stats } = await writ.search({ ...NEEDLE, hidden: true });
    expect(stats).toMatchObject({ index_exclusion_used: false, index_bypass: 'OPTIONS' });
    expect(await writ.indexes()).toHaveLength(1);
  });

  it('shows its figures among those of the installation', { tags: ['FR-LSI-STAT-02.16'] }, async () => {
    const { body } = await writ.get('/metrics');
    expect(body).toMatch(/writ_index_serving\{role="index",instance="[^"]+"\} 1/);
    expect(body).toMatch(/writ_index_tasks_total\{[^}]*kind="build"[^}]*\} 1/);
    expect(body).toMatch(/writ_index_searches_total\{bypass="none"[^}]*\} \d/);
  });

  it('comes back after kill -9, compares the tree with the index, and meanwhile answers the same without it', {
    tags: ['FR-LSI-BG-50.1', 'FR-LSI-BG-50.2'],
  }, async () => {
    await host.kill('SIGKILL');
    writeFileSync(path.join(writ.tree, 'd2/new.txt'), 'needle_42_end\n');
    const more = ['d2/f142.txt', 'd2/f242.txt', 'd2/f42.txt', 'd2/new.txt'];
    expect(await look(1)).toMatchObject({ paths: more, bypass: 'NO_HOST', excluded: 0 });
    host = writ.startHost();
    await host.until((line) => line.msg === 'an index changed its state' && line['reason'] === 'OPEN_REQUIRES_VALIDATION');
    await host.until(isState('COMPLETE'));
    expect(host.lines.map(({ msg, task }) => (msg === 'index maintenance' ? task : undefined))).not.toContain('build');
    expect(await look()).toMatchObject({ paths: more, bypass: null });
    rmSync(path.join(writ.tree, 'd2/new.txt'));
    expect((await look()).paths).toEqual(FOUND);
  });

  it('is dropped, built, compared and checked on request, over the queue', { tags: ['FR-LSI-BG-01', 'FR-LSI-BG-20.5'] }, async () => {
    expect(await writ.writ(['index', 'drop', '--wait'])).toMatchObject({ code: 0 });
    expect(await look()).toMatchObject({ paths: FOUND, bypass: 'VETO' });
    expect(await writ.writ(['index', 'build', '--wait'])).toMatchObject({ code: 0, out: expect.stringMatching(/301 files|300 files/) });
    const [index] = await writ.indexes();
    const asked = await writ.post(`/v1/index/${index?.key_hash}/check`);
    expect(asked.status).toBe(202);
    await host.until(({ msg, task }) => msg === 'index maintenance' && task === 'check');
    expect(await look()).toMatchObject({ paths: FOUND, bypass: null });
  });

  it('has a second host stand by, which says why and takes over when the first is killed', async () => {
    const second = writ.startHost();
    expect(await second.until(({ msg }) => msg.includes('stands by'))).toMatchObject({ why: expect.stringContaining('another process hosts') });
    await host.kill('SIGKILL');
    await second.until(isState('COMPLETE'));
    expect(await look()).toMatchObject({ paths: FOUND, bypass: null });
    host = second;
  });

  it('ends in order on SIGTERM, and leaves no socket behind', { tags: ['FR-LSI-BG-40.1', 'FR-LSI-BG-40.4', 'FR-LSI-BG-43.1'] }, async () => {
    expect(await host.kill('SIGTERM')).toBe(0);
    const [index] = await writ.indexes();
    expect(index).toMatchObject({ host: 'stopped', serving: false });
    expect(existsSync(path.join(writ.cache, index?.key_hash?.slice(0, 16) ?? '', 'host.sock'))).toBe(false);
  });
});
