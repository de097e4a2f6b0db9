import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, userSurroundings } from '../../../config/load.ts';
import { createMemoryLane } from '../../../src/adapters/memory/maintenance-lane.ts';
import { NO_INDEX } from '../../../src/content-search/ngram-index/safety/transition.ts';
import { createBarrierServer } from '../../../src/content-search/ngram-index/serving/barrier-server.ts';
import { openContentIndexStore } from '../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import { indexService } from '../../../src/content-search/settings/index-service.ts';
import type { IndexStatus } from '../../../src/contracts/index.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { barrierHost } from '../../support/content/barrier-host.ts';
import { keep } from '../../support/content/index-service.ts';

const KEY = 'c0ffee00'.padEnd(64, '7');

let home: string;
let root: string;
let cache: string;
let host: Lifecycle | undefined;
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'writ-index-service-')));
  [root, cache] = [path.join(home, 'tree'), path.join(home, 'cache')];
  mkdirSync(root);
});
afterEach(async () => {
  await host?.stop();
  host = undefined;
  rmSync(home, { recursive: true });
});

function service(changes: Record<string, string | string[]> = {}) {
  const flags = { 'tools.search.index_mode': 'on', 'tools.search.index_path': cache, 'tools.sandbox.allowed_roots': [root], ...changes };
  const { config } = loadConfig({ flags, env: { WRIT_DATA_DIR: path.join(home, 'data') } });
  return indexService({ config, surroundings: userSurroundings(), lane: createMemoryLane({ newId: () => 'job1' }) });
}

/** A socket that says what a host of the key would. */
async function listen(says: string): Promise<void> {
  const directory = path.join(cache, KEY.slice(0, 16));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const noBarrier = (): never => {
    throw new Error('a look asks for no barrier');
  };
  host = createBarrierServer(directory, barrierHost({ asked: noBarrier, identity: noBarrier, status: () => says }));
  await host.start();
}

/** Records as a host leaves them. */
function leave(): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const opened = openContentIndexStore({ directory: cache, lockTimeoutMs: 250 });
  if (!opened.ok) throw new Error(opened.message);
  keep(opened.value, root, KEY, { ...NO_INDEX, state: 'COMPLETE' });
  opened.value.close();
}

describe('the indexes of a data directory, looked at from another process', () => {
  it('are ABSENT where nothing was ever indexed', async () => {
    expect(await service().status()).toMatchObject([{ root, key_hash: null, state: 'ABSENT', host: 'stopped', serving: false }]);
  });

  it('are what the records say while no host runs', async () => {
    leave();
    expect(await service().status()).toMatchObject([{ root, key_hash: KEY, state: 'COMPLETE', host: 'stopped', serving: false, bytes: 4096 }]);
    expect(await service().request({ root }, 'build', '')).toMatchObject({ accepted: false, why: 'HOST_DOWN' });
  });

  it('are what the host says on its socket while it runs, and it can be asked', async () => {
    leave();
    const [left] = await service().status();
    const said: IndexStatus = { ...(left as IndexStatus), host: 'running', serving: true, guarantee: 'inotify', files: 7, deltas: 0 };
    await listen(JSON.stringify(said));
    expect(await service().status()).toEqual([said]);
    expect(await service().request({ keyHash: KEY.slice(0, 12) }, 'check', 'me')).toEqual({ accepted: true, receipt: { job: 'job1', joined: false } });
  });

  it.each(['', '{', '{"state":"COMPLETE"}', 'null'])('do not believe a host that says %j', async (says) => {
    leave();
    await listen(says);
    expect(await service().status()).toMatchObject([{ key_hash: KEY, host: 'stopped', serving: false }]);
  });

  it('leave out records that are damaged, and are shown all the same', async () => {
    leave();
    writeFileSync(path.join(cache, 'records.db'), 'not a database');
    expect((await service().status()).map(({ root }) => root)).toEqual([root]);
  });

  it('touch nothing while the index is off', { tags: ['FR-LSI-IDX-02'] }, async () => {
    expect(await service({ 'tools.search.index_mode': 'off' }).status()).toEqual([]);
    expect(() => realpathSync(cache)).toThrow('ENOENT');
  });

  it('name a root once that the settings reach through a link', async () => {
    leave();
    symlinkSync(root, path.join(home, 'link'));
    expect(
      await service({ 'tools.search.index_roots': [path.join(home, 'link')], 'tools.sandbox.allowed_roots': [path.join(home, 'link')] }).status(),
    ).toMatchObject([{ root, key_hash: KEY }]);
  });
});
