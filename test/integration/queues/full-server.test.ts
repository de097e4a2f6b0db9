import { EventEmitter, once } from 'node:events';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUEUE_PREFIX, workerOptions } from '../../../queues/catalog.ts';
import { TolerantWorker } from '../../../queues/tolerant-worker.ts';
import { createRedisPresence } from '../../../src/adapters/redis/presence.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startTestRedis();
  redis = await server.client();
});
afterAll(() => server.stop());

it('a worker that finds the server full waits between two fetches, and goes on when there is memory', async () => {
  const queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
  await queue.add('x', {});
  await redis.config('SET', 'maxmemory', '1mb');
  const said = new EventEmitter();
  let pauses = 0;
  /** Resolves with what ends the next pause. */
  const nextPause = async (): Promise<() => void> => (await once(said, 'pause'))[0];
  const paused = nextPause();
  const done = once(said, 'done');
  const worker = new TolerantWorker('file', async () => void said.emit('done'), {
    ...workerOptions({ lockMs: 30_000, renewMs: 10_000, stalledMs: 30_000 }, 1),
    connection: await server.client('worker'),
    pauseWhenFull: (ms) => {
      pauses += ms > 0 ? 1 : 0;
      return new Promise((end) => said.emit('pause', end));
    },
  });
  worker.on('error', () => undefined);
  const end = await paused;
  // A fetch of before its end would be refused, and ask for a pause of its own.
  for (let round = 0; round < 50; round += 1) await redis.ping();
  expect(pauses).toBe(1);
  const again = nextPause();
  end();
  const goOn = await again;
  await redis.config('SET', 'maxmemory', '0');
  goOn();
  await done;
  expect(pauses).toBe(2);
  await worker.close();
  await queue.close();
});

it('a worker that beats stays alive on a server that is full', async () => {
  const presence = createRedisPresence(redis);
  await presence.beat('one', 60_000);
  await redis.config('SET', 'maxmemory', '1mb');
  await presence.beat('one', 120_000);
  expect(await redis.pttl('{writ}:worker:one')).toBeGreaterThan(60_000);
  await expect(presence.beat('two', 60_000)).rejects.toMatchObject({ code: 'REDIS_FULL' });
  await redis.config('SET', 'maxmemory', '0');
  await presence.beat('two', 60_000);
  expect(await presence.isAlive('two')).toBe(true);
});
