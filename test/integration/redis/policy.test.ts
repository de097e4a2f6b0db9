import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import { boundsValues, checkRedisPolicy, probeWrite } from '../../../src/adapters/redis/policy.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { queueRig, taskJob } from '../queues/fixture.ts';

describe('the policy that a Redis server must have', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await redis.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes');
  });

  it('is noeviction; every other one is refused with what to do', async () => {
    expect(await checkRedisPolicy(redis)).toEqual([]);
    for (const policy of ['allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl', 'allkeys-lfu']) {
      await redis.config('SET', 'maxmemory-policy', policy);
      await expect(checkRedisPolicy(redis)).rejects.toMatchObject({ code: 'REDIS_POLICY', message: expect.stringContaining(`'${policy}'`) });
    }
  });

  it('wants persistence, but only warns', async () => {
    await redis.config('SET', 'appendonly', 'no');
    expect(await checkRedisPolicy(redis)).toEqual([expect.stringContaining('append-only file is off')]);
  });

  it('wants values to be bounded where they enter, but only warns, and asks without CONFIG', async () => {
    expect(await boundsValues(redis)).toBe(true);
    await redis.config('SET', 'proto-max-bulk-len', '512mb');
    expect(await boundsValues(redis)).toBe(false);
    expect(await checkRedisPolicy(redis)).toEqual([expect.stringContaining('Set proto-max-bulk-len 16777216')]);
    await redis.call('ACL', 'SETUSER', 'blind', 'on', '>pw', '~*', '+@all', '-getbit', '-config');
    const blind = redis.duplicate({ username: 'blind', password: 'pw' });
    expect(await boundsValues(blind)).toBeUndefined();
    expect(await checkRedisPolicy(blind)).toEqual([]);
    blind.disconnect();
    await redis.config('SET', 'proto-max-bulk-len', '16mb');
    expect(await boundsValues(redis)).toBe(true);
  });

  it('works where CONFIG is closed', async () => {
    await redis.call('ACL', 'SETUSER', 'limited', 'on', '>pw', '~*', '+@all', '-config');
    const limited = redis.duplicate({ username: 'limited', password: 'pw' });
    expect(await checkRedisPolicy(limited)).toEqual([]);
    limited.disconnect();
  });

  it('is proven by a real write, which a full server and a replica refuse', async () => {
    const before = await redis.dbsize();
    await probeWrite(redis);
    expect(await redis.dbsize()).toBe(before);
    await redis.config('SET', 'maxmemory', '1mb');
    await expect(probeWrite(redis)).rejects.toMatchObject({ code: 'REDIS_FULL' });
    await redis.config('SET', 'maxmemory', '0');
    await redis.replicaof('127.0.0.1', '1');
    await expect(probeWrite(redis)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await redis.replicaof('NO', 'ONE');
  });

  it('makes a full server refuse pushes and ledger writes with REDIS_FULL, and lose nothing', async () => {
    await using rig = await queueRig(server);
    await rig.enqueue.push(taskJob('before'));
    const ledger = createRedisLedger(redis, { retentionMs: 60_000 });
    await redis.config('SET', 'maxmemory', '1mb');
    await expect(rig.enqueue.push(taskJob('during'))).rejects.toMatchObject({ code: 'REDIS_FULL' });
    await expect(rig.enqueue.pushMany([taskJob('during')])).rejects.toMatchObject({ code: 'REDIS_FULL' });
    await expect(ledger.cancel('x', Date.now())).rejects.toMatchObject({ code: 'REDIS_FULL' });
    await redis.config('SET', 'maxmemory', '0');
    expect(await rig.enqueue.jobState('before')).toMatchObject({ state: 'waiting' });
    expect((await rig.enqueue.push(taskJob('during'))).kind).toBe('accepted');
  });
});
