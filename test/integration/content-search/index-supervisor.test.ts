import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, userSurroundings } from '../../../config/load.ts';
import { createMemoryLane } from '../../../src/adapters/memory/maintenance-lane.ts';
import { createIndexSupervisor, type IndexSupervisor } from '../../../src/content-search/ngram-index/serving/supervisor.ts';
import { contentSettings } from '../../../src/content-search/settings/content-settings.ts';
import { hostsSettings } from '../../../src/content-search/settings/host-settings.ts';
import type { MaintenanceLane } from '../../../src/core/ports/index.ts';
import { deferred } from '../../conformance/deferred.ts';

let home: string;
let keeper: IndexSupervisor | undefined;
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'writ-keeper-')));
});
afterEach(async () => {
  await keeper?.stop();
  keeper = undefined;
  rmSync(home, { recursive: true });
});

/** A keeper with these settings; the promises tell its first word of each kind. */
function keep(settings: Record<string, unknown>, searchPath = process.env['PATH'] ?? '', lane: MaintenanceLane = createMemoryLane({ newId: randomUUID })) {
  const tree = path.join(home, 'tree');
  const flags = {
    'tools.search.enabled': true,
    'tools.search.index_mode': 'on',
    'tools.search.index_path': path.join(home, 'cache'),
    'tools.sandbox.allowed_roots': [tree],
    ...settings,
  };
  const { config } = loadConfig({ flags, env: { WRIT_DATA_DIR: path.join(home, 'data') } });
  const content = contentSettings(config, { ...userSurroundings(), searchPath });
  const told: { why: string[]; ready: number } = { why: [], ready: 0 };
  let tellReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    tellReady = resolve;
  });
  keeper = createIndexSupervisor({
    content,
    hosts: hostsSettings(config.tools.search, content),
    lane: () => lane,
    report: () => undefined,
    onReady: (roots) => {
      told.ready = roots;
      tellReady();
    },
    onStandBy: (why) => told.why.push(why),
  });
  return { keeper, told, ready, tree };
}

describe('a keeper of index hosts', () => {
  it('stands by while what it is to index is away, and begins when it is there', { tags: ['FR-LSI-BG-02'] }, async () => {
    const { keeper: kept, told, ready, tree } = keep({});
    await kept.start();
    expect(told).toEqual({ why: ['none of the directories to be indexed is there'], ready: 0 });
    expect(kept.statuses()).toEqual([]);
    mkdirSync(tree);
    writeFileSync(path.join(tree, 'a.txt'), 'text');
    await ready;
    expect(kept.statuses()).toMatchObject([{ root: tree, host: 'running' }]);
    expect(told.why).toHaveLength(1);
  });

  it('is stopped while it waits for the queue, as long as that takes, and so is its start', async () => {
    mkdirSync(path.join(home, 'tree'));
    const [begun, stopped] = [deferred(), deferred()];
    const lane: MaintenanceLane = {
      ...createMemoryLane({ newId: randomUUID }),
      async start() {
        begun.resolve();
        await stopped.promise;
        throw new Error('it was stopped while it started');
      },
      stop: async () => stopped.resolve(),
    };
    const { keeper: kept, told } = keep({}, undefined, lane);
    const starting = kept.start();
    await begun.promise;
    await kept.stop();
    await starting;
    expect([told, kept.statuses()]).toEqual([{ why: [], ready: 0 }, []]);
  });

  it('stands by where a root is denied', { tags: ['FR-LSI-IDX-ROOT-01.3'] }, async () => {
    const root = path.join(home, 'tree/private');
    mkdirSync(root, { recursive: true });
    const { keeper: kept, told } = keep({ 'tools.search.index_roots': [root], 'tools.sandbox.denied_patterns': ['**/private'] });
    await kept.start();
    expect(told.why).toEqual([`${root} is denied by tools.sandbox.denied_patterns`]);
    expect(existsSync(path.join(home, 'cache/records.db'))).toBe(false);
  });

  it('keeps the index in memory where there is no place for files, and says so in its status', { tags: ['FR-LSI-STOR-FALLBACK-01.1'] }, async () => {
    mkdirSync(path.join(home, 'tree'));
    writeFileSync(path.join(home, 'cache'), 'a file where the directory should be');
    const { keeper: kept, told } = keep({});
    await kept.start();
    expect(told.why).toEqual([]);
    expect(kept.statuses()).toMatchObject([{ storage_mode: 'memory', storage_fallback_reason: expect.any(String) }]);
  });
});
