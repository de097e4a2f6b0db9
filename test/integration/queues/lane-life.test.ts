import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX, workerOptions } from '../../../queues/catalog.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { laneLife } from '../../../queues/lane-life.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { deferred } from '../../conformance/deferred.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { redisProxy } from '../../support/redis-proxy.ts';

describe('a lane that stops while Redis is away', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it.each(['idle', 'its job has just ended', 'its job ends because of the stop'])('ends: %s', async (when) => {
    await using proxy = await redisProxy(server.target());
    const [producer, worker] = await Promise.all([connected(createConnection(proxy.target, 'producer')), connected(createConnection(proxy.target, 'worker'))]);
    const queue = openQueue('lane', QUEUE_PREFIX, producer);
    const begun = deferred();
    const enough = deferred();
    let stopped = false;
    const lane = laneLife<'work'>({
      queue,
      connection: worker,
      settings: workerOptions({ lockMs: 30_000, renewMs: 10_000, stalledMs: 30_000 }, 1),
      onError: () => undefined,
      patienceMs: 10,
      async run(_job, _token, _handle, signal) {
        begun.resolve();
        signal.addEventListener('abort', () => {
          stopped = true;
          if (when === 'its job ends because of the stop') enough.resolve();
        });
        await enough.promise;
      },
    });
    lane.process('work');
    await lane.start();
    if (when !== 'idle') {
      await queue.add('work', {});
      await begun.promise;
    }
    await proxy.shut();
    if (when === 'its job has just ended') enough.resolve();
    await lane.stop();
    expect(stopped).toBe(when !== 'idle');
    const ended = [producer, worker].map((redis) => new Promise((settle) => redis.once('end', settle)));
    for (const redis of [producer, worker]) redis.disconnect();
    await Promise.all(ended);
    await server.flushAll();
  });
});
