import { DelayedError, type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { TolerantWorker } from '../../../queues/tolerant-worker.ts';
import { commandCount, startTestRedis } from '../../support/redis.ts';

const HOURS_MS = 7_200_000;

describe('jobs that wrong clocks keep delayed', () => {
  let server: Awaited<ReturnType<typeof startTestRedis>>;
  let connection: Redis;
  let queue: Queue;
  let worker: TolerantWorker;
  beforeAll(async () => {
    server = await startTestRedis();
    connection = await server.client('worker');
    queue = new Queue('late', { connection, prefix: QUEUE_PREFIX });
    worker = new TolerantWorker('late', null, { connection, prefix: QUEUE_PREFIX, autorun: false, stalledInterval: 3_600_000 });
    await worker.waitUntilReady();
  });
  afterAll(async () => {
    await worker.close();
    await queue.close();
    await server.stop();
  });

  /** A job that a worker has fetched and delayed while its clock was wrong by so much. */
  async function parked(wrongByMs: number, delayMs: number): Promise<Job> {
    const added = (await queue.getWaiting()).at(0) ?? (await queue.add('task', {}));
    const job = await worker.getNextJob('token');
    if (job?.id !== added.id) throw new Error('another job was fetched');
    const now = Date.now;
    Date.now = () => now() + wrongByMs;
    try {
      await job.moveToDelayed(Date.now() + delayMs, 'token').catch((error: unknown) => {
        if (!(error instanceof DelayedError)) throw error;
      });
    } finally {
      Date.now = now;
    }
    expect(await job.getState()).toBe('delayed');
    return job;
  }

  it('are put back: those of a clock that was hours ahead, and those for which every clock is too late', async () => {
    const ahead = await parked(HOURS_MS, 15_000);
    const behind = await parked(-HOURS_MS, 15_000);
    await worker.promoteLate();
    expect([await ahead.getState(), await behind.getState()]).toEqual(['waiting', 'waiting']);
    for (const job of [ahead, behind]) await job.remove();
  });

  it('are left alone where the delay is what was meant: by a worker, and by a producer, however long', async () => {
    const right = await parked(0, 15_000);
    const long = await parked(0, HOURS_MS);
    const producers = await queue.add('task', {}, { delay: 30 * HOURS_MS });
    await worker.promoteLate();
    for (const job of [right, long, producers]) {
      expect(await job.getState()).toBe('delayed');
      await job.remove();
    }
  });

  it('are looked for in no job twice whose delay is what was meant, until it is delayed anew', async () => {
    const jobs = await Promise.all(Array.from({ length: 40 }, () => queue.add('task', {}, { delay: HOURS_MS })));
    const right = await parked(0, 15_000);
    const read = async (): Promise<number> => {
      await connection.config('RESETSTAT');
      await worker.promoteLate();
      return commandCount(await connection.info('commandstats'), 'hmget');
    };
    expect([await read(), await read()]).toEqual([41, 0]);
    await right.promote();
    const ahead = await parked(HOURS_MS, 15_000);
    // BullMQ reads the one that it promotes.
    expect([ahead.id, await read(), await ahead.getState()]).toEqual([right.id, 2, 'waiting']);
    for (const job of [...jobs, ahead]) await job.remove();
  });

  it('are found behind more jobs than one look takes', async () => {
    const ahead = await parked(HOURS_MS, 15_000);
    await queue.addBulk(Array.from({ length: 1_100 }, () => ({ name: 'task', data: {}, opts: { delay: 30 * HOURS_MS } })));
    for (let looks = 0; looks < 3; looks += 1) await worker.promoteLate();
    expect(await ahead.getState()).toBe('waiting');
  });
});
