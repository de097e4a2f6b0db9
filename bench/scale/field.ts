import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { jobOptions } from '../../queues/catalog.ts';
import { connected, createConnection } from '../../queues/connection.ts';
import { queueShards } from '../../queues/shards.ts';
import { masters, type RedisConnection } from '../../src/adapters/redis/redis-connection.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import type { TaskJob } from '../../src/contracts/index.ts';
import { startSide } from '../throughput/side.ts';
import { NOOP, type Site } from '../throughput/site.ts';
import type { SideSetup } from '../throughput/worker.ts';

const WORKER = new URL('../throughput/worker.js', import.meta.url);
const QUEUE = 'file';
const BULK = 500;
const LOOK_MS = 5;

/** How a round is spread. */
export interface Spread {
  readonly workers: number;
  readonly shards: number;
}

/** What a round took: wall clock, and CPU of all Redis servers together. */
export interface Outcome {
  readonly ms: number;
  readonly failed: number;
  readonly redisCpuS: number;
}

/** A Redis, one server or a cluster, whose queue is filled and emptied again. */
export interface Field {
  run(spread: Spread, jobs: number): Promise<Outcome>;
  close(): void;
}

/** The workers find the site's keys, and this Redis instead of the site's own. */
export async function openField(site: Site, target: RedisTarget): Promise<Field> {
  const redis = await connected(createConnection(target, 'ledger'));
  const home = mkdtempSync(path.join(tmpdir(), 'writ-bench-scale-'));
  writeFileSync(path.join(home, 'target.json'), JSON.stringify(target), { mode: 0o600 });
  return {
    async run({ workers, shards }, jobs) {
      await Promise.all(masters(redis).map((server) => server.flushall()));
      await preload(site, redis, jobs, shards);
      const setup: SideSetup = { side: 'writ', home: site.home, targetHome: home, queue: QUEUE, concurrency: 64, jobs: 0, shards };
      const sides = await Promise.all(Array.from({ length: workers }, () => startSide(WORKER, setup)));
      const before = await cpuOf(redis);
      const start = performance.now();
      for (const side of sides) side.begin();
      const failed = await emptied(redis, shards, jobs);
      const ms = performance.now() - start;
      const redisCpuS = (await cpuOf(redis)) - before;
      await Promise.all(sides.map((side) => side.stop()));
      return { ms, failed, redisCpuS };
    },
    close() {
      redis.disconnect();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function preload(site: Site, redis: RedisConnection, jobs: number, shards: number): Promise<void> {
  const { own, home } = queueShards({ shards, earlier_shards: [] });
  const queues = new Map(own.map((prefix) => [prefix, new Queue<TaskJob>(QUEUE, { connection: redis, prefix, skipVersionCheck: true })]));
  for (let done = 0; done < jobs; done += BULK) {
    const part = await Promise.all(Array.from({ length: Math.min(BULK, jobs - done) }, () => site.job()));
    for (const [prefix, queue] of queues) {
      const here = part.filter(({ manifest }) => home(manifest.task_id) === prefix);
      await queue.addBulk(here.map((data) => ({ name: NOOP, data, opts: { ...jobOptions(`t_${data.manifest.task_id}`, 1), removeOnComplete: false } })));
    }
  }
}

/** Resolves with the number of failed jobs when all have ended. */
async function emptied(redis: RedisConnection, shards: number, jobs: number): Promise<number> {
  const { own } = queueShards({ shards, earlier_shards: [] });
  for (;;) {
    const counts = await Promise.all(own.map((prefix) => Promise.all(['completed', 'failed'].map((set) => redis.zcard(`${prefix}:${QUEUE}:${set}`)))));
    const [completed, failed] = [0, 1].map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0));
    if ((completed ?? 0) + (failed ?? 0) >= jobs) return failed ?? 0;
    await delay(LOOK_MS);
  }
}

async function cpuOf(redis: RedisConnection): Promise<number> {
  const infos = await Promise.all(masters(redis).map((server) => server.info('cpu')));
  const seconds = (info: string, name: string): number => Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
  return infos.reduce((sum, info) => sum + seconds(info, 'used_cpu_user') + seconds(info, 'used_cpu_sys'), 0);
}
