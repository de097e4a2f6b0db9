import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBoardQueues } from '../../../queues/board-queues.ts';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createStatusReader } from '../../../queues/queue-status.ts';
import { readJobs } from '../../../queues/task-feed-jobs.ts';
import { MAX_VALUE_BYTES } from '../../../src/adapters/redis/policy.ts';
import { MAX_JOB_BYTES } from '../../../src/contracts/index.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

const HUGE = 5 * 1024 * 1024;
/** The longest text that any part of a worker may be seen to parse while it meets huge jobs. */
const MOST_PARSED = MAX_JOB_BYTES;

const KEEP = { removeOnFail: { age: 3600 } };

describe('jobs of a raw producer that are too large', () => {
  let rig: Rig;
  let redis: Redis;
  let queue: Queue;
  beforeAll(async () => {
    rig = await startRig();
    redis = await rig.redis.client('worker');
    queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
  });
  afterAll(async () => {
    await queue.close();
    await rig.stop();
  });

  const keyOf = (job: Job): string => `${QUEUE_PREFIX}:file:${job.id}`;
  const raw = (data: unknown, name = 'FILE_MOVE'): Promise<Job> => queue.add(name, data, KEEP);
  /** A small job, one field of which somebody writes by hand while it waits. */
  const withField = async (field: string, text: string): Promise<Job> => {
    const job = await raw({ v: 1 });
    await redis.hset(keyOf(job), field, text);
    return job;
  };
  const push = async (name: string): Promise<{ destination: string; taskId: string }> => {
    const source = path.join(rig.base, `${name}.txt`);
    writeFileSync(source, name);
    const manifest = manifestOf('FILE_MOVE', source, `${source}.moved`);
    await rig.push(manifest);
    return { destination: `${source}.moved`, taskId: manifest.task_id };
  };
  const failed = (job: Job): Promise<string> =>
    lookAgain({
      look: async () => (await redis.hget(keyOf(job), 'failedReason')) ?? undefined,
      timeoutMs: PATIENCE_MS,
      failure: () => `job ${job.id} has not failed`,
    });

  it('are refused with a code before anything of them is parsed, are small from then on, and hold nobody up', async () => {
    const before = await push('before');
    const huge: [Job, RegExp][] = [];
    for (let i = 0; i < 6; i += 1)
      huge.push([await raw({ v: 1, junk: 'x'.repeat(HUGE) }), /^INVALID_MANIFEST: job: the data had 52428\d\d bytes, at most 262144 are allowed$/]);
    huge.push([await withField('name', 'n'.repeat(HUGE)), /^INVALID_MANIFEST: job: the name had 5242880 bytes/]);
    huge.push([await withField('opts', `{"x":"${'o'.repeat(HUGE)}"}`), /^INVALID_MANIFEST: job: the options had 5242888 bytes/]);
    huge.push([await withField('opts', '{broken'), /^INVALID_MANIFEST: job: the options could not be read$/]);
    huge.push([await withField('opts', '[]'), /^INVALID_MANIFEST: job: the options were no object$/]);
    huge.push([await withField('progress', '"'.repeat(HUGE)), /^INVALID_MANIFEST: job: the progress had/]);
    huge.push([await withField('parent', 'nobody'), /^INVALID_MANIFEST: job: the parent could not be read$/]);
    huge.push([await withField('strange', 's'.repeat(HUGE)), /^INVALID_MANIFEST: job: a field of the job had 5242880 bytes/]);
    const after = await push('after');

    let longest = 0;
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((text: string, ...rest) => {
      longest = Math.max(longest, String(text).length);
      return parse(text, ...rest) as unknown;
    });
    await rig.startWorker();
    for (const { destination, taskId } of [before, after]) {
      expect((await rig.answer(taskId)).status).toBe('SUCCESS');
      expect(existsSync(destination)).toBe(true);
    }
    for (const [job, reason] of huge) expect(await failed(job)).toMatch(reason);
    vi.restoreAllMocks();
    expect(longest).toBeLessThanOrEqual(MOST_PARSED);
    for (const [job] of huge) {
      for (const [field, text] of Object.entries(await redis.hgetall(keyOf(job)))) expect(text.length, field).toBeLessThanOrEqual(1024);
      expect(await redis.hget(keyOf(job), 'atm')).toBe('1');
    }
    // Each was delivered once, and nothing of it is left in hand.
    expect(await queue.getJobCounts('active', 'wait', 'failed')).toEqual({ active: 0, wait: 0, failed: huge.length });

    await using board = openBoardQueues({ connection: redis, pool: 'default' });
    const file = board.queues.find(({ queueName }) => queueName === 'file');
    const shown = (await file?.jobs(['failed'], 0, 99, ({ fields, unreadable }) => ({ fields, unreadable }))) ?? [];
    expect(shown).toHaveLength(huge.length);
    for (const { fields, unreadable } of shown) {
      expect(unreadable).toBeUndefined();
      expect(fields['failedReason']).toMatch(/^INVALID_MANIFEST: job: /);
    }
  });
});

describe('who reads jobs that no worker has met', () => {
  it('fetches nothing that is too large: index, board, status, and a push of the same id', async () => {
    await using rig = await startRig();
    const redis = await rig.redis.client('worker');
    const queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
    const source = path.join(rig.base, 'a.txt');
    const manifest = manifestOf('FILE_MOVE', source, `${source}.moved`);
    const job = await queue.add('FILE_MOVE', { v: 1, junk: 'x'.repeat(HUGE) }, { jobId: `t_${manifest.task_id}` });
    const key = `${QUEUE_PREFIX}:file:${job.id}`;
    await redis.hset(key, 'name', 'n'.repeat(HUGE), 'failedReason', 'f'.repeat(HUGE));
    await redis.zadd(`${QUEUE_PREFIX}:file:failed`, 1, job.id ?? '');

    // What Redis has sent, all connections together.
    const sent = async (): Promise<number> => Number(/^total_net_output_bytes:(\d+)/m.exec(await redis.info('stats'))?.[1]);
    const first = await sent();
    expect(await readJobs(redis, [{ prefix: QUEUE_PREFIX, queue: 'file', jobId: job.id ?? '' }])).toMatchObject([
      { data: undefined, name: null, failedReason: null },
    ]);
    await using board = openBoardQueues({ connection: redis, pool: 'default' });
    const file = board.queues.find(({ queueName }) => queueName === 'file');
    expect(await file?.jobs(['wait'], 0, 9, ({ unreadable }) => unreadable)).toEqual([expect.stringMatching(/^the job has 157\d+ bytes$/)]);
    const status = createStatusReader({ connection: redis, pool: 'default', workers: rig.places.workers });
    expect((await status.status()).queues.find(({ queue: name }) => name === 'file')).toMatchObject({ failures: { OTHER: 1 } });
    await status.close();
    // It lies among the failed ones, so a push replaces it.
    expect(await rig.push(manifest)).toMatchObject({ kind: 'accepted' });
    expect((await sent()) - first).toBeLessThan(HUGE);
    await queue.close();
  });
});

describe('a value that is too large for anybody', () => {
  it('is refused where it enters the private server, and nobody else notices', async () => {
    await using rig = await startRig();
    const other = await rig.redis.client('producer');
    const raw = await rig.redis.client('producer');
    await expect(raw.set('k', Buffer.alloc(MAX_VALUE_BYTES + 1))).rejects.toThrow();
    expect(await other.exists('k')).toBe(0);
    await other.set('k', Buffer.alloc(MAX_VALUE_BYTES));
    expect(await other.strlen('k')).toBe(MAX_VALUE_BYTES);
  });
});
