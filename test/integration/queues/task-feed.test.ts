import { randomUUID } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobOptions, QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createRedisLedger } from '../../../src/adapters/redis/ledger.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { eventually, fastFeed, listed, statesIn } from '../../support/task-feed.ts';
import { type TemporaryIndex, temporaryIndex } from '../../support/task-index.ts';

const EVENTS = `${QUEUE_PREFIX}:file:events`;
const dataOf = (taskId: string, changes: object = {}) => ({
  v: 1,
  manifest: {
    task_id: taskId,
    capability_id: 'FILE_MOVE',
    inputs: { source_path: `/in/${taskId}`, destination_path: `/out/${taskId}` },
    constraints: {},
    ...changes,
  },
});

describe('the feed of the task index', () => {
  let server: TestRedis;
  let redis: Redis;
  let queue: Queue;
  let under: TemporaryIndex;
  let feed: Lifecycle;
  let worker: Worker | undefined;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.flushAll();
    queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
    under = await temporaryIndex();
    feed = fastFeed(redis, under.index);
  });
  afterEach(async () => {
    await feed.stop();
    await worker?.close(true);
    worker = undefined;
    await queue.close();
    await under[Symbol.asyncDispose]();
  });

  const push = (taskId: string, changes: object = {}, options: object = {}) =>
    queue.add('FILE_MOVE', dataOf(taskId, changes), { ...jobOptions(`t_${taskId}`, 1), ...options });
  const work = async (handle: (taskId: string) => void): Promise<void> => {
    const connection = await server.client('worker');
    worker = new Worker('file', async (job) => handle(job.data.manifest.task_id), { connection, prefix: QUEUE_PREFIX });
    worker.on('error', () => undefined);
  };
  const fail = (reason: string) => () => {
    throw new Error(reason);
  };
  const following = () => eventually('following', () => under.index.health().state === 'following');

  it('fills an empty index from the queues, then follows what happens', async () => {
    await push('one');
    await push('later', {}, { delay: 3_600_000 });
    await feed.start();
    await listed(under.index, { one: 'waiting', later: 'delayed' });
    await following();
    await push('two');
    await listed(under.index, { one: 'waiting', two: 'waiting', later: 'delayed' });
    await work((taskId) => {
      if (taskId === 'two') throw new Error('EXECUTION_FAILED: the source is gone');
    });
    await listed(under.index, { one: 'success', two: 'failure', later: 'delayed' });
    const { tasks } = await under.index.list({ error_code: 'EXECUTION_FAILED', path: '/in/two' }, { limit: 10 });
    expect(tasks).toMatchObject([
      { task_id: 'two', queue: 'file', message: 'the source is gone', source_path: '/in/two', destination_path: '/out/two', attempts: 1 },
    ]);
    expect(under.index.health()).toMatchObject({ state: 'following', tasks: 3 });
  });

  it('streams the life of a task', async () => {
    await feed.start();
    await following();
    const stop = new AbortController();
    const life = (async () => {
      const states: string[] = [];
      for await (const event of under.index.events(undefined, stop.signal)) {
        states.push(event.state);
        if (event.state === 'failure') break;
      }
      return states;
    })();
    await push('one');
    await listed(under.index, { one: 'waiting' });
    await work(fail('LEASE_EXPIRED: too late'));
    expect((await life).filter((state) => state !== 'running')).toEqual(['waiting', 'failure']);
  });

  it('lists what raw producers push: with ids of BullMQ, with plan and lease, and what is no task at all', async () => {
    await feed.start();
    await following();
    const lease = `h.${Buffer.from(JSON.stringify({ exp: 2_000_000_000 })).toString('base64url')}.s`;
    await queue.add('FILE_MOVE', { ...dataOf('raw', { provenance: { plan_sha256: 'a'.repeat(64) } }), lease });
    await queue.add('odd\u0000name', { v: 1, manifest: { task_id: 'claims-this', capability_id: 7 } });
    await queue.add('x', 'no object', { jobId: 't_in-the-id' });
    await redis.hset(`${QUEUE_PREFIX}:file:broken`, { data: '{"v":1,', name: 'FILE_MOVE', timestamp: 'soon', opts: '{}' });
    await redis.xadd(EVENTS, '*', 'event', 'waiting', 'jobId', 'broken');
    await redis.hset(`${QUEUE_PREFIX}:file:huge`, {
      data: JSON.stringify(dataOf('huge', { more: 'x'.repeat(300_000) })),
      name: 'N'.repeat(5000),
      failedReason: 'f'.repeat(300_000),
    });
    await redis.xadd(EVENTS, '*', 'event', 'failed', 'jobId', 'huge', 'failedReason', 'x');
    // Names of BullMQ's own keys, and events that make no sense.
    await redis.xadd(EVENTS, '*', 'event', 'waiting', 'jobId', 'wait');
    await redis.xadd(EVENTS, '*', 'event', 'waiting');
    await redis.xadd(EVENTS, '*', 'nothing', 'at all');
    const rest = { 'claims-this': 'waiting', 'in-the-id': 'waiting', broken: 'waiting', huge: 'failure' };
    await listed(under.index, { raw: 'waiting', ...rest });
    const [raw] = (await under.index.list({ plan: 'a'.repeat(64) }, { limit: 10 })).tasks;
    expect(raw).toMatchObject({ task_id: 'raw', lease_expires_at: '2033-05-18T03:33:20.000Z' });
    const { tasks } = await under.index.list({ error_code: 'INVALID_MANIFEST' }, { limit: 10 });
    expect(tasks.map(({ task_id }) => task_id).sort()).toEqual(Object.keys(rest).sort());
    expect(tasks.find(({ task_id }) => task_id === 'claims-this')?.capability_id).toBe('odd\ufffdname');
    expect(tasks.find(({ task_id }) => task_id === 'huge')?.capability_id).toHaveLength(64);
    await work(fail('INVALID_MANIFEST: the job is no task'));
    await eventually('the failure', async () => (await statesIn(under.index))['in-the-id'] === 'failure');
  });

  it('makes good what was trimmed from the stream while it was away', async () => {
    await push('before');
    await feed.start();
    await listed(under.index, { before: 'waiting' });
    await following();
    await feed.stop();
    await push('missed');
    await queue.remove('t_before');
    await redis.xtrim(EVENTS, 'MAXLEN', 0);
    await push('after');
    await feed.start();
    await listed(under.index, { missed: 'waiting', after: 'waiting' });
  });

  for (const [what, harm] of Object.entries({
    deleted: (file: string) => rmSync(file),
    'overwritten with garbage': (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size, 'garbage')),
    'cut off': (file: string) => writeFileSync(file, ''),
  })) {
    it(`builds an index anew whose file was ${what} while it ran`, async () => {
      await push('one');
      await feed.start();
      await listed(under.index, { one: 'waiting' });
      await following();
      harm(under.file);
      await listed(under.index, { one: 'waiting' });
      await push('two');
      await listed(under.index, { one: 'waiting', two: 'waiting' });
    });

    it(`builds an index anew whose file was ${what} while nobody had it open`, async () => {
      await push('one');
      await feed.start();
      await listed(under.index, { one: 'waiting' });
      await feed.stop();
      await under.index.stop();
      harm(under.file);
      await under.index.start();
      await feed.start();
      await listed(under.index, { one: 'waiting' });
    });
  }

  it('forgets everything with Redis, and finds what the ledger is given back', async () => {
    await push('one');
    await feed.start();
    await listed(under.index, { one: 'waiting' });
    await following();
    await server.flushAll();
    await listed(under.index, {});
    await push('two');
    await listed(under.index, { two: 'waiting' });

    const ledger = createRedisLedger(redis, { retentionMs: 1000_000 });
    const output = { task_id: 'old', capability_id: 'FILE_COPY', result_summary: { source: '/in/old', destination: '/out/old' } };
    const result = JSON.stringify({ status: 'SUCCESS', output, error: null, signature: 's' });
    await ledger.restore([{ taskId: 'old', manifestSha256: 'a'.repeat(64), result, exp: 2_000_000_000 }], Date.now());
    await ledger.markGeneration(randomUUID());
    await listed(under.index, { old: 'success', two: 'waiting' });
    expect((await under.index.list({ path: '/out/old' }, { limit: 10 })).tasks).toMatchObject([{ task_id: 'old', capability_id: 'FILE_COPY', queue: 'file' }]);
  });

  it('finds what the ledger is given back long after its marker', async () => {
    await feed.start();
    await following();
    const ledger = createRedisLedger(redis, { retentionMs: 1000_000 });
    const restore = async (taskId: string): Promise<void> => {
      const output = { task_id: taskId, capability_id: 'FILE_COPY', result_summary: { source: '/in/a', destination: '/out/a' } };
      const result = JSON.stringify({ status: 'SUCCESS', output, error: null, signature: 's' });
      await ledger.restore([{ taskId, manifestSha256: 'a'.repeat(64), result, exp: 2_000_000_000 }], Date.now());
    };
    // As a worker does it: the marker first, so that tasks can be claimed, then the rows in portions.
    await ledger.markGeneration(randomUUID());
    await restore('early');
    await listed(under.index, { early: 'success' });
    await restore('late');
    await listed(under.index, { early: 'success', late: 'success' });
    // A feed that was started anew goes on with it.
    await feed.stop();
    await feed.start();
    await restore('later');
    await listed(under.index, { early: 'success', late: 'success', later: 'success' });
  });

  it('keeps a finished task while the ledger knows it, and forgets it afterwards', async () => {
    const ledger = createRedisLedger(redis, { retentionMs: 1000_000 });
    await ledger.markGeneration(randomUUID());
    const claim = await ledger.claim({
      taskId: 'kept',
      manifestSha256: 'a'.repeat(64),
      jobKey: 'file:t_kept',
      instance: 'i',
      exp: 2_000_000_000,
      now: Date.now(),
    });
    if (claim.kind !== 'new') throw new Error(claim.kind);
    const result = JSON.stringify({ status: 'FAILURE', output: null, error: { error_code: 'LEASE_EXPIRED', message: 'late' }, signature: 's' });
    await ledger.record({ taskId: 'kept', epoch: claim.epoch, status: 'FAILURE', errorCode: 'LEASE_EXPIRED', result, now: Date.now() });
    await push('kept');
    await push('dropped');
    await feed.start();
    await listed(under.index, { kept: 'waiting', dropped: 'waiting' });
    await following();
    await queue.remove('t_kept');
    await queue.remove('t_dropped');
    await listed(under.index, { kept: 'failure' });
    expect((await under.index.list({ error_code: 'LEASE_EXPIRED' }, { limit: 10 })).tasks).toMatchObject([{ message: 'late', source_path: '/in/kept' }]);
    await redis.del(...(await redis.keys('{wl-*}:task:kept')));
    await listed(under.index, {});
  });

  it('says so while Redis is away, and goes on when it is back', async () => {
    await push('one');
    await feed.start();
    await listed(under.index, { one: 'waiting' });
    await server.kill();
    await eventually('failed', () => under.index.health().state === 'failed' && under.index.health().problem !== undefined);
    expect(await statesIn(under.index)).toEqual({ one: 'waiting' });
    await server.restart();
    await following();
    await push('two');
    await eventually('two', async () => (await statesIn(under.index))['two']);
  });

  it('tolerates being started and stopped twice, and stops in the midst of a pass', async () => {
    await queue.addBulk(Array.from({ length: 2000 }, (_, n) => ({ name: 'FILE_MOVE', data: dataOf(`n${n}`), opts: { jobId: `t_n${n}` } })));
    await feed.start();
    await feed.start();
    await feed.stop();
    await feed.stop();
    await feed.start();
    await eventually('all', () => under.index.health().tasks === 2000);
  });

  it('closes each of its connections once: ioredis waits two seconds for the end of one that was closed before', async () => {
    const closed = vi.spyOn(Redis.prototype, 'disconnect');
    await feed.start();
    await eventually('following', () => under.index.health().state === 'following');
    await feed.stop();
    const connections = [...closed.mock.contexts];
    closed.mockRestore();
    expect(connections).toHaveLength(2);
    expect(new Set(connections).size).toBe(2);
  });
});
