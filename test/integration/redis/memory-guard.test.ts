import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countOpenJobs } from '../../../queues/open-jobs.ts';
import { BYTES_OF_AN_END, createMemoryGuard } from '../../../src/adapters/redis/memory-guard.ts';
import { redisHealth } from '../../../src/adapters/redis/policy.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { queueRig, taskJob } from '../queues/fixture.ts';

const FULL = { code: 'REDIS_FULL' };
let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startTestRedis();
  redis = await server.client();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await redis.config('SET', 'maxmemory', '0');
});

describe('the guard of the memory of Redis', () => {
  it('refuses new work above the high-water mark, with one look for many callers', async () => {
    let now = 0;
    const clock = { monotonic: () => now };
    const guard = createMemoryGuard(redis, { highWater: 0.5, limitBytes: 0 }, clock);
    await guard.check();
    const { usedBytes } = await redisHealth(redis);
    await redis.config('SET', 'maxmemory', String(Math.round(usedBytes * 1.5)));
    await guard.check();
    now = 1000;
    await expect(guard.check()).rejects.toMatchObject({ ...FULL, message: expect.stringContaining('50 %') });
    const own = createMemoryGuard(redis, { highWater: 0.5, limitBytes: 1 }, clock);
    await redis.config('SET', 'maxmemory', '0');
    await expect(own.check()).rejects.toMatchObject(FULL);
  });

  it('keeps room for the ends of what waits, and of what was added since it looked', async () => {
    const { usedBytes } = await redisHealth(redis);
    const ends = 1000;
    // Room beside what is used, whose size moves a little, for the ends of a thousand jobs and a half.
    await redis.config('SET', 'maxmemory', String(2 * (usedBytes + 1.5 * ends * BYTES_OF_AN_END)));
    const guardOf = (waiting: number) => createMemoryGuard(redis, { highWater: 0.5, limitBytes: 0, waiting: async () => waiting }, { monotonic: () => 0 });
    await expect(guardOf(2 * ends).check()).rejects.toMatchObject({ ...FULL, message: expect.stringMatching(/the ends of 2000 jobs that wait/) });
    const guard = guardOf(ends);
    await guard.check();
    guard.added(ends, 0);
    await expect(guard.check()).rejects.toMatchObject(FULL);
    const heavy = guardOf(ends);
    await heavy.check();
    heavy.added(1, ends * BYTES_OF_AN_END);
    await expect(heavy.check()).rejects.toMatchObject(FULL);
  });
});

describe('the count of jobs that have not ended', () => {
  it('has those that wait, that wait for their time, and that run, in every queue of the pool', async () => {
    await using rig = await queueRig(server);
    const pool = rig.queueName.split('@')[1] ?? '';
    const count = () => countOpenJobs({ connection: rig.connection, pool, providers: ['crm'] });
    expect(await count()).toBe(0);
    await rig.enqueue.pushMany(['one', 'two', 'three'].map((id) => taskJob(id)));
    await rig.enqueue.push(taskJob('later'), { notBefore: Date.now() + 3_600_000 });
    await rig.enqueue.push(taskJob('after'), { priority: 5 });
    await rig.enqueue.push(taskJob('search', { capability_id: 'SEARCH_FILES' }));
    await rig.enqueue.push(taskJob('call'), { queue: `tool-crm@${pool}` });
    expect(await count()).toBe(7);
    const job = await rig.fetch();
    expect(await count()).toBe(7);
    await rig.fail(job);
    expect(await count()).toBe(6);
    await rig.queue.pause();
    expect(await count()).toBe(6);
  });

  it('takes a key of another type for an empty one', async () => {
    await redis.set('{writ}:file@odd:wait', 'x');
    expect(await countOpenJobs({ connection: redis, pool: 'odd' })).toBe(0);
  });
});
