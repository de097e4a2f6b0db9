import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { startThread } from '../../../src/adapters/threads/thread-entry.ts';
import { createFedIndex } from '../../../src/bin/http/fed-index.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { TaskIndex } from '../../../src/core/ports/index.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { taskJob } from './fixture.ts';

const ENTRY = new URL('../../../src/bin/http/fed-index.ts', import.meta.url).href;

describe('the task index with its feed in a thread', () => {
  let server: TestRedis;
  let redis: Redis;
  let queue: Queue;
  let home: string;
  let index: TaskIndex & Lifecycle;
  let threads: Worker[];
  let troubles: unknown[];
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.flushAll();
    home = mkdtempSync(join(tmpdir(), 'writ-fed-'));
    queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
    [threads, troubles] = [[], []];
    const places = { ...dataDirPaths(home), executorKeyring: join(home, 'executor.jwks.json') };
    writeFileSync(places.executorKeyring, '{"keys":[]}');
    index = createFedIndex({
      config: ConfigSchema.parse({}),
      places,
      target: server.target(),
      providers: [],
      onTrouble: (error) => void troubles.push(error),
      startWorker: (workerData) => {
        const thread = startThread(ENTRY, './fed-index-thread', { workerData });
        threads.push(thread);
        return thread;
      },
    });
    await index.start();
  });
  afterEach(async () => {
    await index.stop();
    await queue.close();
    rmSync(home, { recursive: true, force: true });
  });

  const push = (taskId: string) => queue.add('FILE_MOVE', taskJob(taskId), { jobId: `t_${taskId}` });
  const ids = async (): Promise<readonly string[]> => (await index.list({}, { limit: 10 })).tasks.map(({ task_id }) => task_id).toSorted();
  const following = () => expect.poll(() => index.health().state).toBe('following');

  it('lists what is pushed, tells of changes, and says how it is', async () => {
    await push('before');
    await following();
    const stop = new AbortController();
    const events = index.events(undefined, stop.signal);
    await events.begun;
    await push('after');
    for await (const event of events) {
      expect(event).toMatchObject({ task_id: 'after', state: 'waiting' });
      break;
    }
    stop.abort();
    expect(await ids()).toEqual(['after', 'before']);
    await expect.poll(() => index.health()).toMatchObject({ state: 'following', tasks: 2 });
    expect(troubles).toEqual([]);
  });

  it('goes on where it was after a stop', async () => {
    await push('first');
    await expect.poll(ids).toEqual(['first']);
    await index.stop();
    await push('meanwhile');
    await index.start();
    await expect.poll(ids).toEqual(['first', 'meanwhile']);
    expect(threads).toHaveLength(2);
  });

  it('says so when its thread dies, starts it again, and has missed nothing', async () => {
    await push('first');
    await expect.poll(ids).toEqual(['first']);
    await threads[0]?.terminate();
    expect(index.health()).toMatchObject({ state: 'failed', problem: expect.stringContaining('ended') });
    await push('meanwhile');
    await expect.poll(ids).toEqual(['first', 'meanwhile']);
    await following();
    expect(threads).toHaveLength(2);
    expect(troubles).toHaveLength(1);
  });

  it('tells of a Redis that went away, and follows again when it is back', async () => {
    await push('first');
    await expect.poll(ids).toEqual(['first']);
    await server.kill();
    await expect.poll(() => index.health().state).toBe('failed');
    expect(troubles.length).toBeGreaterThan(0);
    await server.restart();
    await following();
    await push('later');
    await expect.poll(ids).toContain('later');
  });
});
