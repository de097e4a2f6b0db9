import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { OVERLAY_MAX } from '../../../src/content-search/ngram-index/watch/overlay.ts';
import { burst } from '../../support/content/index-changes.ts';
import { hostsHere } from '../../support/content/index-damage-host.ts';
import { type HostNews, type HostProcess, hostsSettings, startHost, treesOf } from '../../support/content/index-host.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';
import { asUnprivileged } from '../../support/mounts.ts';
import { PATIENCE } from '../../support/patience.ts';
import { whileStopped } from '../../support/stand-still.ts';

// The other reasons are provoked elsewhere: docs/index-safety.md 7 says where.
let folder: string;
let root: string;
let host: HostProcess | undefined;

beforeEach(() => {
  folder = temporaryDirectory('index-reasons');
  root = path.join(folder, 'root');
  mkdirSync(root);
  mkdirSync(path.join(folder, 'cache'), { mode: 0o700 });
  for (let at = 0; at < 50; at += 1) writeFileSync(path.join(root, `file${at}`), `hay ${at}`);
});
afterEach(async () => {
  await host?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function started(change: Parameters<typeof hostsSettings>[1] = {}): Promise<HostProcess> {
  host = await startHost({ settings: hostsSettings(path.join(folder, 'cache'), change), trees: treesOf(root, []), backend: 'rg' });
  return host;
}

const uncertain =
  (reason: string) =>
  (news: HostNews): boolean =>
    news.kind === 'state' && news.state === 'UNCERTAIN' && news.reason === reason;

/** Does something to the tree of a host whose index is built; it must come to this reason, and be COMPLETE again. */
async function afterBuild(reason: string, work: (one: HostProcess) => void): Promise<HostProcess> {
  const one = await started();
  await one.until('COMPLETE');
  const comes = one.next(uncertain(reason));
  work(one);
  await comes;
  await one.until('COMPLETE');
  return one;
}

describe('an index host comes to each reason by what is said of it, and back', () => {
  it('ELIGIBILITY_CHANGED by rules of the tree', { tags: ['LSI-ENUM-05'] }, () =>
    afterBuild('ELIGIBILITY_CHANGED', () => writeFileSync(path.join(root, '.gitignore'), '*.log\n')),
  );

  it('RENAME_UNCERTAIN by a second name', { tags: ['LSI-ENUM-08'] }, () =>
    afterBuild('RENAME_UNCERTAIN', () => linkSync(path.join(root, 'file1'), path.join(root, 'file1-too'))),
  );

  it('WATCHER_OVERFLOW by more events than the system keeps', { tags: ['LSI-ENUM-03'] }, () =>
    afterBuild('WATCHER_OVERFLOW', (one) => whileStopped(one.pid, () => burst(root))),
  );

  it('DIRTY_BACKLOG by more changes than an overlay holds', { tags: ['LSI-ENUM-07'] }, () =>
    afterBuild('DIRTY_BACKLOG', ({ pid }) =>
      whileStopped(pid, () => {
        for (let at = 0; at <= OVERLAY_MAX; at += 1) symlinkSync('file1', path.join(root, `link${at}`));
      }),
    ),
  );

  it('WATCHER_DOWN by a root that is moved away, and OPEN_REQUIRES_VALIDATION by a new start', { tags: ['LSI-ENUM-04', 'LSI-ENUM-02'] }, async () => {
    const one = await afterBuild('WATCHER_DOWN', () => {
      renameSync(root, `${root}-aside`);
      renameSync(`${root}-aside`, root);
    });
    await one.stop();
    const again = await started();
    await again.told(uncertain('OPEN_REQUIRES_VALIDATION'));
    await again.until('COMPLETE');
  });

  it('WATCHER_OVERFLOW_DURING_BUILD', { tags: ['LSI-ENUM-12', 'FR-LSI-BG-60', 'FR-LSI-BG-62'] }, async () => {
    for (let at = 0; at < 300; at += 1) writeFileSync(path.join(root, `more${at}`), `straw ${at}`);
    const { build, host: usual } = hostsSettings('');
    // It rests for an hour after the first files, and so it still runs when the host stands still.
    const one = await started({ build: { ...build, throttleMs: 3_600_000 }, host: { ...usual, idleBoostMs: 86_400_000 } });
    await one.told((news) => news.kind === 'state' && news.state === 'BUILDING');
    const comes = one.next(uncertain('WATCHER_OVERFLOW_DURING_BUILD'));
    whileStopped(one.pid, () => burst(root));
    await comes;
  });
});

describe('records that cannot be written', () => {
  it('are MAINT_BUDGET_EXCEEDED to searches, until they can be', { tags: ['LSI-ST-07', 'LSI-ENUM-11'] }, async () => {
    const cache = path.join(folder, 'cache');
    await using hosts = await hostsHere(hostsSettings(cache, { lockTimeoutMs: 10 }), treesOf(root, []), (await realBackends()).rg);
    await hosts.settled('COMPLETE');
    const other = new Sqlite(path.join(cache, 'records.db'));
    other.exec('BEGIN IMMEDIATE');
    writeFileSync(path.join(root, 'file7'), 'a needle');
    await hosts.happened(() => hosts.events.some(({ kind }) => kind === 'records-lost'));
    await vi.waitFor(async () => {
      const { index_uncertain_reason: reason, index_exclusion_used: isUsed } = await hosts.search('needle');
      expect([reason, isUsed]).toEqual(['MAINT_BUDGET_EXCEEDED', false]);
    }, PATIENCE);
    other.exec('ROLLBACK');
    other.close();
    await vi.waitFor(async () => expect((await hosts.search('needle')).index_bypass).toBeNull(), PATIENCE);
  });
});

describe('a directory that cannot be read', () => {
  let answers: Record<string, unknown>;
  beforeAll(async () => {
    answers = (await asUnprivileged(new URL('./unreadable-scenario.ts', import.meta.url), [])) as Record<string, unknown>;
  });

  it('is ENUMERATION_ERROR, and none any more when it can be read', { tags: ['LSI-ENUM-09'] }, () => {
    expect(answers).toEqual({ closed: ['UNCERTAIN', 'ENUMERATION_ERROR'], open: ['COMPLETE', null], 'found in it': null });
  });
});
