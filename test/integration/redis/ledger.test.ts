import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_TAGS, generationKey, parkedKey, refusedKey, rowKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import type { Ledger } from '../../../src/core/ports/index.ts';
import { claimOf, EXP, NOW, newTaskId, RETENTION_MS, recordOf, SHA } from '../../conformance/ledger-rig.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

/** What somebody may do to a row that we never do. */
const DAMAGES: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  'was overwritten by a text': (redis, key) => redis.set(key, 'text'),
  'was replaced by a list': async (redis, key) => redis.multi().del(key).lpush(key, 'x').exec(),
  'has no state': (redis, key) => redis.hdel(key, 'state'),
  'has an unknown state': (redis, key) => redis.hset(key, 'state', 'nonsense'),
  'has no hash': (redis, key) => redis.hdel(key, 'sha'),
  'has a hash that is none': (redis, key) => redis.hset(key, 'sha', 'zz'),
  'has an epoch that is no number': (redis, key) => redis.hset(key, 'epoch', 'two'),
  'has an expiry that is no number': (redis, key) => redis.hset(key, 'exp', '-'),
  'has a count that is none': (redis, key) => redis.hset(key, { takeovers: '', crashes: '1e3' }),
};

describe('the ledger on a real server', () => {
  let server: TestRedis;
  let redis: Redis;
  let ledger: Ledger;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client();
    ledger = createRedisLedger(redis, { retentionMs: RETENTION_MS });
    await ledger.markGeneration('g-1');
  });
  afterAll(() => server.stop());

  it('marks all 256 generations, and never renames one', async () => {
    await ledger.markGeneration('g-2');
    const markers = await redis.mget(ALL_TAGS.map(generationKey));
    expect(new Set(markers)).toEqual(new Set(['g-1']));
  });

  it('makes one call of the claims of one turn, in one write, and sends the scripts by their hash', async () => {
    await ledger.claim(claimOf(newTaskId()));
    await redis.config('RESETSTAT');
    const before = await clientReads(redis);
    await Promise.all(Array.from({ length: 50 }, () => ledger.claim(claimOf(newTaskId()))));
    const calls = await redis.info('commandstats');
    expect(calls).toMatch(/cmdstat_evalsha:calls=1,/);
    expect(calls).not.toMatch(/cmdstat_eval:/);
    // Redis reads once per event loop; 50 commands in a few reads came in a few writes.
    expect((await clientReads(redis)) - before).toBeLessThan(12);
  });

  it('asks Redis seven things for a task that runs once: marker with row, marker with parked jobs, and the row, once each', async () => {
    const [first, second] = [newTaskId(), newTaskId()];
    await ledger.claim(claimOf(first));
    await ledger.record(recordOf(first, 1));
    await redis.config('RESETSTAT');
    await ledger.claim(claimOf(second));
    await ledger.record(recordOf(second, 1));
    const calls = (await redis.info('commandstats')).match(/cmdstat_(?!evalsha|config|info)[^:]+:calls=\d+/g)?.toSorted();
    expect(calls).toEqual(['exists:calls=2', 'hmget:calls=1', 'hset:calls=2', 'pexpireat:calls=1', 'publish:calls=1'].map((each) => `cmdstat_${each}`));
    expect(await redis.hgetall(rowKey(second))).not.toHaveProperty('cancel');
    expect(await ledger.row(second)).toMatchObject({ state: 'success', takeovers: 0, cancelRequested: false });
  });

  it('bounds how many tasks, and how much of their results, Redis handles in one call', async () => {
    const ids = Array.from({ length: 130 }, newTaskId);
    const evals = async (work: () => Promise<unknown>): Promise<number> => {
      await redis.config('RESETSTAT');
      await work();
      return Number(/cmdstat_evalsha:calls=(\d+),/.exec(await redis.info('commandstats'))?.[1]);
    };
    await ledger.record(recordOf(newTaskId(), 1));
    expect(await evals(() => Promise.all(ids.map((id) => ledger.claim(claimOf(id)))))).toBe(3);
    const result = 'x'.repeat(100_000);
    expect(await evals(() => Promise.all(ids.slice(0, 6).map((id) => ledger.record(recordOf(id, 1, { result })))))).toBe(3);
    expect(await Promise.all(ids.slice(0, 6).map((id) => ledger.row(id)))).toMatchObject(Array(6).fill({ state: 'success', result }));
  });

  it('holds the fault of one task against no other that was claimed or recorded in the same turn', async () => {
    const [first, broken, last] = [newTaskId(), newTaskId(), newTaskId()];
    // What no caller of ours sends: Lua fails in the midst of the call, behind the first task's claim.
    const exp = 'never' as unknown as number;
    const claims = await Promise.allSettled([ledger.claim(claimOf(first)), ledger.claim(claimOf(broken, { exp })), ledger.claim(claimOf(last))]);
    expect(claims).toMatchObject([{ value: { kind: 'takeover', takeovers: 0 } }, { reason: { code: 'INTERNAL' } }, { value: { kind: 'new' } }]);
    expect(await ledger.row(broken)).toBeUndefined();
    await redis.set(rowKey(broken), 'text');
    const records = await Promise.all([ledger.record(recordOf(first, 2)), ledger.record(recordOf(broken, 1)), ledger.record(recordOf(last, 1))]);
    expect(records).toEqual(['recorded', 'lost', 'recorded']);
    const tooLarge = ledger.record(recordOf(first, 2, { result: 'x'.repeat(1024 * 1024 + 1) }));
    const beside = ledger.record(recordOf(last, 1));
    await expect(tooLarge).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    expect(await beside).toBe('stale');
  });

  it('goes on when the server has forgotten the scripts', async () => {
    const taskId = newTaskId();
    await ledger.claim(claimOf(taskId));
    await redis.script('FLUSH');
    expect(await ledger.record(recordOf(taskId, 1))).toBe('recorded');
    await redis.script('FLUSH');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ledger.claim(claimOf(newTaskId()))));
    expect(answers.every(({ kind }) => kind === 'new')).toBe(true);
  });

  describe.each(Object.entries(DAMAGES))('a row that %s', (_what, damage) => {
    /** A task whose row was recorded, and then damaged. */
    const damaged = async (): Promise<string> => {
      const taskId = newTaskId();
      await ledger.claim(claimOf(taskId));
      await ledger.record(recordOf(taskId, 1));
      await damage(redis, rowKey(taskId));
      return taskId;
    };

    it('is claimed as if there were none, and never called a conflict', async () => {
      const taskId = await damaged();
      expect(await ledger.row(taskId)).toMatchObject({ state: 'damaged' });
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'new', epoch: 1 });
      expect(await ledger.record(recordOf(taskId, 1))).toBe('recorded');
      expect(await ledger.claim(claimOf(taskId))).toMatchObject({ kind: 'finished' });
    });

    it('takes a cancel as if there were none', async () => {
      const taskId = await damaged();
      await ledger.clearCancel(taskId, NOW);
      expect(await ledger.cancel(taskId, NOW)).toBe('requested');
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'cancelled', epoch: 1 });
    });

    it('is lost for who records, released by nobody, discarded by nobody, and written back from the journal', async () => {
      const taskId = await damaged();
      expect(await ledger.record(recordOf(taskId, 1))).toBe('lost');
      await ledger.release(taskId, 1, 'crashed');
      await ledger.discard(taskId, '{"status":"SUCCESS"}');
      expect(await ledger.row(taskId)).toMatchObject({ state: 'damaged', owner: expect.any(String) });
      await ledger.restore([{ taskId, manifestSha256: SHA, result: 'r', exp: EXP }], NOW);
      expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'finished', result: 'r' });
    });
  });

  it('takes a note of a parked job and a refused answer of another type for none', async () => {
    const taskId = newTaskId();
    for (const key of [parkedKey(taskId), refusedKey(taskId, 'file:7')]) await redis.lpush(key, 'x');
    expect(await ledger.refusal(taskId, 'file:7')).toBeUndefined();
    await ledger.refuse(taskId, 'file:7', 'no');
    expect(await ledger.refusal(taskId, 'file:7')).toBe('no');
    for await (const jobs of ledger.parked(taskId)) expect(jobs).toEqual([]);
    expect(await ledger.unpark(taskId, 'file:7', 2)).toBe(false);
    expect(await ledger.park(taskId, 'file:7', 1, NOW)).toBe(1);
    expect(await ledger.unpark(taskId, 'file:7', 2)).toBe(true);
  });

  it('answers lost after a restart that found nothing, and keeps rows over one that found all', async () => {
    const taskId = newTaskId();
    await ledger.claim(claimOf(taskId));
    await ledger.record(recordOf(taskId, 1));
    await server.kill();
    await server.restart();
    expect(await ledger.claim(claimOf(taskId))).toMatchObject({ kind: 'finished' });
    await server.flushAll();
    expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'lost' });
    await ledger.markGeneration('g-3');
    expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'new', epoch: 1 });
  });

  it('shows the loss of the last writes as a missing row under a standing marker', async () => {
    const taskId = newTaskId();
    await ledger.markGeneration('g');
    await ledger.claim(claimOf(newTaskId()));
    await ledger.claim(claimOf(taskId));
    await server.kill();
    server.truncateAof(200);
    await server.restart();
    expect(await ledger.row(taskId)).toBeUndefined();
    expect(await ledger.claim(claimOf(taskId))).toEqual({ kind: 'new', epoch: 1 });
  });
});

async function clientReads(redis: Redis): Promise<number> {
  return Number(/total_reads_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
}
