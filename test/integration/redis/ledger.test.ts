import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_TAGS, generationKey, refusedKey, rowKey } from '../../../src/adapters/redis/keys.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import type { Ledger } from '../../../src/core/ports/index.ts';
import { claimOf, newTaskId, RETENTION_MS, recordOf } from '../../conformance/ledger-rig.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

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

  it('sends the calls of one tick in one write, and the scripts by their hash', async () => {
    await ledger.claim(claimOf(newTaskId()));
    await redis.config('RESETSTAT');
    const before = await clientReads(redis);
    await Promise.all(Array.from({ length: 50 }, () => ledger.claim(claimOf(newTaskId()))));
    const calls = await redis.info('commandstats');
    expect(calls).toMatch(/cmdstat_evalsha:calls=50,/);
    expect(calls).not.toMatch(/cmdstat_eval:/);
    // Redis reads once per event loop; 50 commands in a few reads came in a few writes.
    expect((await clientReads(redis)) - before).toBeLessThan(12);
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

  it('takes a key of another type for a damaged row, and heals it with the next claim, cancel or restore', async () => {
    const success = { manifestSha256: claimOf('x').manifestSha256, result: '{"status":"SUCCESS"}', exp: claimOf('x').exp };
    const heal: readonly ((taskId: string) => Promise<unknown>)[] = [
      (taskId) => ledger.claim(claimOf(taskId)).then((answer) => expect(answer).toEqual({ kind: 'new', epoch: 1 })),
      (taskId) => ledger.cancel(taskId, 5).then((answer) => expect(answer).toBe('requested')),
      (taskId) => ledger.restore([{ taskId, ...success }], 5),
    ];
    for (const healing of heal) {
      const taskId = newTaskId();
      await redis.set(rowKey(taskId), 'text');
      expect(await ledger.row(taskId)).toMatchObject({ state: 'damaged', result: undefined, epoch: 0 });
      await ledger.clearCancel(taskId, 5);
      await ledger.release(taskId, 1);
      expect(await ledger.record(recordOf(taskId, 1))).toBe('lost');
      await healing(taskId);
      expect((await ledger.row(taskId))?.state).not.toBe('damaged');
    }
    const key = refusedKey('refused', 'file:1');
    await redis.hset(key, 'a', 'b');
    expect(await ledger.refusal('refused', 'file:1')).toBeUndefined();
  });

  it('counts from 0 where a row has numbers that no worker has written', async () => {
    for (const number of ['abc', '-1', 'nan', 'inf', '1e999', '9'.repeat(40), '1.5', '']) {
      const taskId = newTaskId();
      const { manifestSha256: sha } = claimOf(taskId);
      await redis.hset(rowKey(taskId), { state: 'failure', sha, epoch: number, takeovers: number, exp: number, updated: number });
      const row = await ledger.row(taskId);
      expect([row?.epoch, row?.takeovers, row?.exp, row?.updated], number).toEqual([0, 0, 0, 0]);
      const claimed = await ledger.claim(claimOf(taskId));
      expect(claimed, number).toMatchObject({ kind: 'new' });
      if (claimed.kind !== 'new') throw new Error(claimed.kind);
      expect(await ledger.record(recordOf(taskId, claimed.epoch)), number).toBe('recorded');
    }
  });

  it('survives a damaged row', async () => {
    for (const fields of [{ state: 'success' }, { state: 'running', sha: claimOf('x').manifestSha256 }, { state: 'nonsense' }, { sha: 'x' }]) {
      const taskId = newTaskId();
      await redis.hset(rowKey(taskId), fields);
      expect(await ledger.row(taskId).then((row) => row?.epoch ?? 0)).toBe(0);
      expect(['conflict', 'busy', 'new', 'finished']).toContain((await ledger.claim(claimOf(taskId))).kind);
    }
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
