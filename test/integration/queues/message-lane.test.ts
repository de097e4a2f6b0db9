import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageWriter } from '../../../processors/message-writer.ts';
import { isQueueName, messageQueueName, QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createMessageLane, type MessageLaneOptions } from '../../../queues/message-lane.ts';
import type { IngestHandler, MessageLane } from '../../../src/core/ports/index.ts';
import { openMessagesReader } from '../../../src/messages/store/open.ts';
import { createMessageStore } from '../../../src/messages/store/store.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { message, messages } from '../../support/messages/samples.ts';
import { patient } from '../../support/patience.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const CHILD = new URL('../../support/messages/writer-child.ts', import.meta.url);
const LOCKS = { lockMs: patient(800), renewMs: patient(200), stalledMs: patient(200) };
const SIGNAL = new AbortController().signal;

let server: TestRedis;
let pool: string;
let pools = 0;
let ids = 0;
const parts: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  pools += 1;
  pool = `mail${pools}`;
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const one of parts.splice(0).reverse()) await one.stop();
});

async function lane(more: Partial<MessageLaneOptions> = {}): Promise<MessageLane> {
  const [connection, worker] = await Promise.all([server.client('producer'), server.client('worker')]);
  const newId = (): string => {
    ids += 1;
    return `j${ids}`;
  };
  const made = createMessageLane({ pool, connection, worker, newId, now: Date.now, locks: LOCKS, ...more });
  parts.push(made);
  return made;
}

async function processing(handler: IngestHandler, more: Partial<MessageLaneOptions> = {}): Promise<MessageLane> {
  const made = await lane(more);
  made.process(handler);
  await made.start();
  return made;
}

const outcome = (inserted: number) => ({ counts: { inserted, updated: 0, deleted: 0, unchanged: 0, refused: 0 }, ids: [], refusals: [] });

describe('the queue message-index', () => {
  it('is no queue of tasks, and each pool has its own', () => {
    expect([messageQueueName('default'), messageQueueName('north')]).toEqual(['message-index', 'message-index@north']);
    expect(isQueueName('message-index')).toBe(false);
  });

  it('hands batches over in their order, each with a later time, and answers with what came of them', async () => {
    const seen: [string, number][] = [];
    const sender = await lane({ now: () => 1000 });
    const jobs = [];
    for (const key of ['a', 'b', 'c']) jobs.push(await sender.submit([message({ key })]));
    await processing(async ({ at, ops }) => {
      const [op] = ops;
      seen.push([op?.op === 'message' ? op.key : '', at]);
      return outcome(ops.length);
    });
    for (const { job } of jobs) expect(await sender.settled(job, SIGNAL)).toEqual({ ok: true, outcome: outcome(1) });
    expect(seen).toEqual([
      ['a', 1_000_000],
      ['b', 1_000_001],
      ['c', 1_000_002],
    ]);
  });

  it('keeps nothing of what a job brought once it is done', async () => {
    const made = await processing(async () => outcome(1));
    const { job } = await made.submit([message({ key: 'a', body_md: 'private words' })]);
    await made.settled(job, SIGNAL);
    const connection = await server.client('producer');
    const raw = JSON.stringify(await connection.hgetall(`${QUEUE_PREFIX}:${messageQueueName(pool)}:${job}`));
    expect(raw).not.toContain('private');
  });

  it('refuses a job that is no list of operations, at once and as a whole', async () => {
    const failed: string[] = [];
    const made = await processing(async () => outcome(1), { onFailed: (job) => failed.push(job) });
    const queue = new Queue(messageQueueName(pool), { connection: await server.client('ledger'), prefix: QUEUE_PREFIX });
    const bad = await queue.add('ingest', { v: 1, at: 5, ops: [message({ key: 'a' }), { op: 'drop everything' }] }, { jobId: 'raw', attempts: 5 });
    expect(await made.settled(bad.id ?? '', SIGNAL)).toEqual({ ok: false, message: expect.stringMatching(/^INVALID_ARGUMENT/) });
    expect(failed).toEqual(['raw']);
    await queue.close();
  });

  it('does a job again whose writer could not do it, and believes no time from the future', async () => {
    const times: number[] = [];
    const made = await processing(
      async ({ at }) => {
        times.push(at);
        if (times.length === 1) throw new Error('no room on the disk');
        return outcome(1);
      },
      { now: () => 5000 },
    );
    const queue = new Queue(messageQueueName(pool), { connection: await server.client('ledger'), prefix: QUEUE_PREFIX });
    const options = { jobId: 'raw', attempts: 2, backoff: { type: 'fixed', delay: 50 } };
    await queue.add('ingest', { v: 1, at: Number.MAX_SAFE_INTEGER, ops: [message({ key: 'a' })] }, options);
    expect(await made.settled('raw', SIGNAL)).toEqual({ ok: true, outcome: outcome(1) });
    expect(times).toEqual([65_000_000, 65_000_000]);
    await queue.close();
  });

  it('says that it may be sent again when Redis has lost a job, and gives up waiting when it is told to', async () => {
    const made = await lane();
    const lost = await made.submit([message({ key: 'a' })]);
    await server.flushAll();
    await expect(made.settled(lost.job, SIGNAL)).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: expect.stringMatching(/send the same once more$/),
    });
    const { job } = await made.submit([message({ key: 'a' })]);
    expect(await made.settled(job, AbortSignal.timeout(30))).toBeUndefined();
    await expect(made.submit([])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('is worked on by one writer; a database that cannot be opened lets its process work on without', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'writ-lane-')), 'messages', 'm.sqlite');
    const standBys: unknown[] = [];
    const writer = async (own: MessageLane) =>
      messageWriter({ lane: own, store: createMessageStore({ file, batchOps: 500 }), onDone: () => undefined, onStandBy: (error) => standBys.push(error) });
    const first = await lane();
    const [one, two] = [await writer(first), await writer(await lane())];
    parts.push(one, two);
    await one.start();
    await two.start();
    expect(standBys).toMatchObject([{ code: 'POOL_OWNED' }]);
    const { job } = await first.submit(messages(50));
    expect(await first.settled(job, SIGNAL)).toMatchObject({ ok: true, outcome: { counts: { inserted: 50 } } });
  });

  it('loses nothing and doubles nothing when its writer is killed in the midst of batches', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'writ-lane-')), 'messages', 'm.sqlite');
    const sender = await lane();
    const jobs: string[] = [];
    for (let i = 0; i < 30; i += 1) jobs.push((await sender.submit(messages(50, i * 40))).job);
    for (let kills = 0; kills < 2; kills += 1) {
      const child = spawn(process.execPath, scriptArgs(CHILD, [JSON.stringify({ target: server.target(), pool, file, locks: LOCKS })]), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      // It tells of each commit: the kill falls between one and the next, or into it.
      const commits = 2 + kills;
      await new Promise<void>((resolve) => {
        let told = 0;
        child.stdout.on('data', (data: Buffer) => {
          told += data.toString().split('\n').length - 1;
          if (told >= commits) resolve();
        });
        child.on('exit', () => resolve());
      });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    const store = createMessageStore({ file, batchOps: 500 });
    parts.push(store);
    await store.start();
    await processing((batch) => store.write(batch));
    for (const job of jobs) expect(await sender.settled(job, SIGNAL)).toMatchObject({ ok: true });
    const db = openMessagesReader(file);
    const all = db.prepare<[], { n: number; keys: number; text: number }>(
      'SELECT count(*) n, count(DISTINCT source_key) keys, (SELECT count(*) FROM fts_messages) text FROM messages',
    );
    expect(all.get()).toEqual({ n: 30 * 40 + 10, keys: 30 * 40 + 10, text: 30 * 40 + 10 });
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });
});
