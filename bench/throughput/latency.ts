import { setTimeout as delay } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import { jobOptions, QUEUE_PREFIX } from '../../queues/catalog.ts';
import { createConnection } from '../../queues/connection.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import { embeddedTarget } from '../../src/adapters/redis/embedded-files.ts';
import { createRedisLedger } from '../../src/adapters/redis/ledger.ts';
import { createRedisSignals } from '../../src/adapters/redis/signals.ts';
import type { RedisTarget } from '../../src/adapters/redis/target.ts';
import type { TaskJob } from '../../src/contracts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { startSide } from './side.ts';
import { NOOP, type Site } from './site.ts';

const TASKS = 1_000;
const EVERY_MS = 10;
/** The first ones meet cold code on both ends. */
const WARM = 100;

/** Milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly answered: number;
}

/** A producer that waits for its results. */
interface Producer {
  /** Resolves with a function that pushes, once the answer will be heard; that one resolves with the answer. */
  prepare(job: TaskJob): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * Push-to-result times at 100 tasks a second, from the call of the push to the word that the result is there, of a worker
 * process that has just been started and has had 100 tasks.
 */
export async function latency(side: 'writ' | 'bullmq', site: Site, queue: string): Promise<Latency> {
  await site.redis.flushall();
  const producer = await PRODUCERS[side](embeddedTarget(site.places.redis), queue);
  const worker = await startSide(new URL('./worker.js', import.meta.url), { side, home: site.home, queue, concurrency: 64, jobs: 0 });
  worker.begin();

  const times: number[] = [];
  const one = async (job: TaskJob): Promise<void> => {
    const push = await producer.prepare(job);
    const start = performance.now();
    await push();
    times.push(performance.now() - start);
  };
  const jobs = await Promise.all(Array.from({ length: WARM + TASKS }, site.job));
  for (const job of jobs.slice(0, WARM)) await one(job);
  times.length = 0;
  const all: Promise<void>[] = [];
  const start = performance.now();
  for (const [sent, job] of jobs.slice(WARM).entries()) {
    await delay(Math.max(0, start + sent * EVERY_MS - performance.now()));
    all.push(one(job));
  }
  await Promise.all(all);

  await worker.stop();
  await producer.close();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), answered: times.length };
}

const PRODUCERS = { writ: writProducer, bullmq: bullmqProducer };

/** The word is the channel of recorded outcomes. */
async function writProducer(target: RedisTarget, queue: string): Promise<Producer> {
  const [ledgerConnection, queueConnection, subscriber] = [
    createConnection(target, 'ledger'),
    createConnection(target, 'worker'),
    createConnection(target, 'subscriber'),
  ];
  const enqueue = createEnqueue({
    connection: queueConnection,
    ledger: createRedisLedger(ledgerConnection, { retentionMs: 0 }),
    results: { read: async () => undefined },
    clock: systemClock,
    pool: 'default',
  });
  const signals = createRedisSignals(subscriber);
  return {
    async prepare(job) {
      const { heard, hear } = word();
      const leave = await signals.onRecorded(job.manifest.task_id, hear);
      return async () => {
        await enqueue.push(job, { queue });
        await heard;
        void leave();
      };
    },
    async close() {
      await enqueue.close();
      for (const connection of [ledgerConnection, queueConnection, subscriber]) connection.disconnect();
    },
  };
}

/** The word is BullMQ's own event of a completed job. */
async function bullmqProducer(target: RedisTarget, name: string): Promise<Producer> {
  const [connection, reader] = [createConnection(target, 'worker'), createConnection(target, 'worker')];
  const queue = new Queue(name, { connection, prefix: QUEUE_PREFIX });
  const events = new QueueEvents(name, { connection: reader, prefix: QUEUE_PREFIX });
  await events.waitUntilReady();
  const waiting = new Map<string, () => void>();
  events.on('completed', ({ jobId }) => waiting.get(jobId)?.());
  return {
    async prepare(job) {
      const { heard, hear } = word();
      const jobId = `t_${job.manifest.task_id}`;
      waiting.set(jobId, hear);
      return async () => {
        await queue.add(NOOP, job, jobOptions(jobId, 1));
        await heard;
        waiting.delete(jobId);
      };
    },
    async close() {
      await events.close();
      await queue.close();
      for (const one of [connection, reader]) one.disconnect();
    },
  };
}

function word(): { readonly heard: Promise<void>; readonly hear: () => void } {
  let hear = (): void => undefined;
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  return { heard, hear };
}
