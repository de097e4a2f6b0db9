import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
/** A file system in memory: some reasons take thousands of files. */
const PARENT = '/dev/shm';
let folder: string;
let root: string;
let cache: string;

/** A tree with a cache beside it, for all tests of a group. */
function plantHere(): void {
  beforeAll(() => {
    folder = temporaryDirectory('index-reasons', PARENT);
    [root, cache] = [path.join(folder, 'root'), path.join(folder, 'cache')];
    mkdirSync(root);
    mkdirSync(cache, { mode: 0o700 });
    for (let at = 0; at < 50; at += 1) writeFileSync(path.join(root, `file${at}`), `hay ${at}`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

const started = (change: Parameters<typeof hostsSettings>[1] = {}): Promise<HostProcess> =>
  startHost({ settings: hostsSettings(cache, change), trees: treesOf(root, []), backend: 'rg' });

const uncertain =
  (reason: string) =>
  (news: HostNews): boolean =>
    news.kind === 'state' && news.state === 'UNCERTAIN' && news.reason === reason;

describe('an index host comes to each reason by what is said of it, and back', () => {
  plantHere();
  let host: HostProcess;
  beforeAll(async () => {
    host = await started();
    await host.until('COMPLETE');
  });
  afterAll(() => host.kill());

  /** Does something to the tree of the host, whose index is COMPLETE; it must come to this reason, and be COMPLETE again. */
  async function comesTo(reason: string, work: () => void): Promise<void> {
    const comes = host.next(uncertain(reason));
    work();
    await comes;
    await host.until('COMPLETE');
  }

  it('ELIGIBILITY_CHANGED by rules of the tree', { tags: ['LSI-ENUM-05'] }, () =>
    comesTo('ELIGIBILITY_CHANGED', () => writeFileSync(path.join(root, '.gitignore'), '*.log\n')),
  );

  it('RENAME_UNCERTAIN by a second name', { tags: ['LSI-ENUM-08'] }, () =>
    comesTo('RENAME_UNCERTAIN', () => linkSync(path.join(root, 'file1'), path.join(root, 'file1-too'))),
  );

  it('WATCHER_OVERFLOW by more events than the system keeps', { tags: ['LSI-ENUM-03'] }, () =>
    comesTo('WATCHER_OVERFLOW', () => whileStopped(host.pid, () => burst(root))),
  );

  it('DIRTY_BACKLOG by more changes than an overlay holds', { tags: ['LSI-ENUM-07'] }, () =>
    comesTo('DIRTY_BACKLOG', () =>
      whileStopped(host.pid, () => {
        for (let at = 0; at <= OVERLAY_MAX; at += 1) symlinkSync('file1', path.join(root, `link${at}`));
      }),
    ),
  );

  it('WATCHER_DOWN by a root that is moved away, and OPEN_REQUIRES_VALIDATION by a new start', { tags: ['LSI-ENUM-04', 'LSI-ENUM-02'] }, async () => {
    await comesTo('WATCHER_DOWN', () => {
      renameSync(root, `${root}-aside`);
      renameSync(`${root}-aside`, root);
    });
    await host.stop();
    host = await started();
    await host.told(uncertain('OPEN_REQUIRES_VALIDATION'));
    await host.until('COMPLETE');
  });
});

describe('an index host that builds comes to', () => {
  plantHere();

  it('WATCHER_OVERFLOW_DURING_BUILD', { tags: ['LSI-ENUM-12', 'FR-LSI-BG-60', 'FR-LSI-BG-62'] }, async () => {
    for (let at = 0; at < 300; at += 1) writeFileSync(path.join(root, `more${at}`), `straw ${at}`);
    const { build, host: usual } = hostsSettings('');
    // It rests for an hour after the first files, and so it still runs when the host stands still.
    const host = await started({ build: { ...build, throttleMs: 3_600_000 }, host: { ...usual, idleBoostMs: 86_400_000 } });
    try {
      await host.told((news) => news.kind === 'state' && news.state === 'BUILDING');
      const comes = host.next(uncertain('WATCHER_OVERFLOW_DURING_BUILD'));
      whileStopped(host.pid, () => burst(root));
      await comes;
    } finally {
      await host.kill();
    }
  });
});

describe('records that cannot be written', () => {
  plantHere();

  it('are MAINT_BUDGET_EXCEEDED to searches, until they can be', { tags: ['LSI-ST-07', 'LSI-ENUM-11'] }, async () => {
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
