import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigSchema } from '../config/schema.ts';
import { QUEUE_PREFIX } from '../queues/catalog.ts';
import { createConnection } from '../queues/connection.ts';
import { createCryptoPool } from '../src/adapters/crypto/pool.ts';
import type { RedisTarget } from '../src/adapters/redis/target.ts';
import { openProducerSide } from '../src/bin/producer-side.ts';
import { openResults } from '../src/bin/results.ts';
import { signatureReader } from '../src/bin/signatures.ts';
import { systemClock } from '../src/core/clock.ts';
import type { OperatorServices } from '../src/surfaces/shared/tasks/operator.ts';
import { retryTasks } from '../src/surfaces/shared/tasks/retry.ts';
import { type Round, type Suite, spread } from './contract.ts';
import { startSide } from './throughput/side.ts';
import { openSite, type Site } from './throughput/site.ts';
import type { SideReport, SideSetup } from './throughput/worker.ts';

const TASKS = 8000;
const QUEUE = 'file';
/** As a bulk retry takes them. */
const PAGE = 200;
const ROUNDS = 5;

const WORKER = new URL('./throughput/worker.js', import.meta.url);

/** Failed tasks run again, as `POST /v1/tasks/retry` and `writ tasks retry` do it: looked up, their signed failures verified, queued. */
export const suite: Suite = {
  what: 'failed tasks run again by an operator, their signed outcomes verified first, against bare retries of the same jobs',
  async open({ scale }) {
    const site = await openSite();
    const tasks = Math.max(PAGE, Math.round(TASKS * scale));
    await site.preload(QUEUE, tasks, 'bundled');
    const setup: SideSetup = { side: 'writ', home: site.home, queue: QUEUE, concurrency: 64, jobs: tasks, fails: true };
    await (await startSide<SideReport>(WORKER, setup)).go();
    const failed = await keysOf(site.redis);
    const ids = failed.flatMap(([key]) => /:t_(.+)$/.exec(key)?.[1] ?? []);
    if (ids.length !== tasks) throw new Error(`${ids.length} jobs failed, of ${tasks}`);
    const operator = await openOperator(site);
    const speeds: number[] = [];
    /** Microseconds of this process, its crypto thread included, for a retry. */
    const cpu: number[] = [];
    const round = async (work: () => Promise<void>): Promise<Round> => {
      await site.redis.flushall();
      await putBack(site.redis, failed);
      const start = performance.now();
      await work();
      const value = performance.now() - start;
      return { value, work: { waiting: await site.redis.llen(`${QUEUE_PREFIX}:${QUEUE}:wait`) } };
    };
    return {
      cases: [
        {
          ...{ name: 'failed8000', kind: 'speed', peer: 'bullmq', rounds: ROUNDS },
          async ours() {
            const done = await round(async () => {
              const before = process.cpuUsage();
              await operator.retryAll(ids);
              const { user, system } = process.cpuUsage(before);
              cpu.push((user + system) / tasks);
            });
            speeds.push(tasks / (done.value / 1000));
            return done;
          },
          theirs: () => round(() => bareRetries(site.redis, ids)),
        },
      ],
      async metrics() {
        // The first round warmed everything up.
        const { median, min, max } = spread(speeds.slice(1));
        return {
          retries_per_s: Math.round(median),
          'retries_per_s.min': Math.round(min),
          'retries_per_s.max': Math.round(max),
          cpu_us_per_retry: Math.round(spread(cpu.slice(1)).median),
        };
      },
      async close() {
        await operator.close();
        await site.close();
      },
    };
  },
};

/** What the API has of all this, on connections of its own. */
async function openOperator(site: Site) {
  const config = ConfigSchema.parse({});
  const target = JSON.parse(readFileSync(path.join(site.home, 'target.json'), 'utf8')) as RedisTarget;
  const connection = createConnection(target, 'producer');
  const ed25519 = createCryptoPool({ threads: config.crypto.threads, library: 'best' });
  await ed25519.start();
  const results = openResults(site.places, async () => ed25519);
  const producer = openProducerSide({ config, places: site.places, connection, results, signals: () => Promise.reject(new Error('nobody waits here')) });
  const signatures = signatureReader({ config, places: site.places, ed25519, feed: () => Promise.reject(new Error('no lease is asked for')) });
  const services: OperatorServices = {
    tasks: producer.gateway(),
    kernel: () => Promise.reject(new Error('no lease has expired')),
    signatures: async () => signatures,
    regrantByDefault: true,
    clock: systemClock,
  };
  return {
    async retryAll(ids: readonly string[]): Promise<void> {
      for (let at = 0; at < ids.length; at += PAGE) {
        const ends = await retryTasks(ids.slice(at, at + PAGE), {}, services);
        for (const end of ends) if (end.kind === 'refused') throw end.error;
      }
    },
    async close(): Promise<void> {
      await producer[Symbol.asyncDispose]();
      connection.disconnect();
      await ed25519.stop();
    },
  };
}

/** A page together, as Bull Board's own would be without any look at what failed. */
async function bareRetries(connection: Redis, ids: readonly string[]): Promise<void> {
  const queue = new Queue(QUEUE, { connection, prefix: QUEUE_PREFIX });
  for (let at = 0; at < ids.length; at += PAGE) {
    await Promise.all(
      ids.slice(at, at + PAGE).map(async (id) => {
        const job = await queue.getJob(`t_${id}`);
        await job?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
      }),
    );
  }
}

type Kept = readonly [key: string, dump: Buffer];

async function keysOf(redis: Redis): Promise<readonly Kept[]> {
  const keys = await redis.keys('*');
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  // What lives for a moment (marks of workers) may be gone by now.
  return keys.flatMap((key, at): Kept[] => (dumps[at] == null ? [] : [[key, dumps[at]]]));
}

async function putBack(redis: Redis, kept: readonly Kept[]): Promise<void> {
  await Promise.all(kept.map(([key, dump]) => redis.restore(key, 0, dump)));
}
