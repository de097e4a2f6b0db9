import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findStranger } from '../../../processors/pool-watch.ts';
import { poolWorkersKey, workerKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisPoolWorkers } from '../../../src/adapters/redis/pool-workers.ts';
import { createRedisPresence } from '../../../src/adapters/redis/presence.ts';
import { createWorkerRole } from '../../../src/bin/roles/worker.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { type DataDirPaths, dataDirPaths } from '../../../src/data-dir/paths.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { type Rig, startRig } from '../../support/rig.ts';
import type { WorkerChildSetup } from '../../support/worker-child.ts';

const CHILD = new URL('../../support/worker-child.ts', import.meta.url);

/** A worker of another directory of the same pool. */
const workerIn = (rig: Rig, places: DataDirPaths): Promise<Lifecycle> =>
  createWorkerRole({ config: rig.config, places, log: createLogger('silent', 'worker') });

/** What `cp -a` makes of the data directory. */
const copied = (rig: Rig): DataDirPaths => {
  const copy = path.join(path.dirname(rig.places.dataDir), 'copy');
  cpSync(rig.places.dataDir, copy, { recursive: true, preserveTimestamps: true, filter: (file) => !file.endsWith('.sock') });
  return dataDirPaths(copy);
};

const strangerOf = async (rig: Rig, { workers: directory }: DataDirPaths) => {
  const redis = await rig.redis.client();
  const pool = createRedisPoolWorkers(redis, rig.config.pool.id);
  return findStranger({ directory, workers: pool, presence: createRedisPresence(redis), clock: systemClock });
};

it('refuses a copy of the data directory while the other one is at work, before and after Redis has lost everything', async () => {
  await using rig = await startRig();
  const first = await rig.startWorker();
  const copy = copied(rig);
  const refusal = { code: 'POOL_OWNED', message: expect.stringContaining('a copy of this data directory') };
  await expect((await workerIn(rig, copy)).start()).rejects.toMatchObject(refusal);
  await rig.redis.flushAll();
  const redis = await rig.redis.client();
  await expect.poll(() => redis.hlen(poolWorkersKey(rig.config.pool.id))).toBe(1);
  await expect.poll(() => redis.keys(workerKey('*'))).toHaveLength(1);
  await expect((await workerIn(rig, copy)).start()).rejects.toMatchObject(refusal);
  // The doctor of the copy sees it, that of the directory at work sees nothing wrong.
  expect([await strangerOf(rig, copy), await strangerOf(rig, rig.places)]).toEqual([expect.any(String), undefined]);

  // A back-up is a copy of what no longer runs.
  await first.stop();
  await using restored = await workerIn(rig, copy);
  await restored.start();
});

it('starts several workers in one data directory, also while it is moved under them', async () => {
  await using rig = await startRig();
  await rig.startWorker();
  await rig.startWorker();
  const moved = dataDirPaths(`${rig.places.dataDir}-moved`);
  renameSync(rig.places.dataDir, moved.dataDir);
  try {
    await using third = await workerIn(rig, moved);
    await third.start();
  } finally {
    renameSync(moved.dataDir, rig.places.dataDir);
  }
});

it('starts again at once after a worker was killed, and also where nobody knows its lock any more', async () => {
  await using rig = await startRig({ config: { worker: { lock_ms: 60_000, renew_ms: 20_000 } } });
  const redis = await rig.redis.client();
  const setup = path.join(path.dirname(rig.places.dataDir), 'setup.json');
  writeFileSync(setup, JSON.stringify({ config: rig.config, dataDir: rig.places.dataDir } satisfies WorkerChildSetup));
  /** A worker that serves, and is then killed: its heartbeat stays for minutes. */
  const killed = async (): Promise<void> => {
    const known = await redis.hlen(poolWorkersKey(rig.config.pool.id));
    const child = spawn(process.execPath, scriptArgs(CHILD, [setup]), { stdio: ['ignore', 'ignore', 'inherit'] });
    await expect.poll(() => redis.hlen(poolWorkersKey(rig.config.pool.id))).toBe(known + 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await killed();
  expect(await strangerOf(rig, rig.places)).toBeUndefined();
  await (await rig.startWorker()).stop();
  await killed();
  // As after a restored back-up.
  rmSync(rig.places.workers, { recursive: true });
  await rig.startWorker();
});
