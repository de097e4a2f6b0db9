import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { indexQueueName, isQueueName, QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createIndexLane, type IndexLaneOptions } from '../../../queues/index-lane.ts';
import type { MaintenanceLane } from '../../../src/core/ports/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { gatedHandler, laneConformance, ROOT_A, task } from '../../support/content/maintenance-lane.ts';
import { lookAgain } from '../../support/look-again.ts';
import { PATIENCE_MS, patient } from '../../support/patience.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const CHILD = new URL('../../support/content/lane-child.ts', import.meta.url);
const LOCKS = { lockMs: patient(800), renewMs: patient(200), stalledMs: patient(200) };

let server: TestRedis;
let pools = 0;
let ids = 0;
const pool = (): string => `lane${pools}`;
const newId = (): string => {
  ids += 1;
  return `job${ids}`;
};

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

async function openLane(more: Partial<IndexLaneOptions> = {}): Promise<MaintenanceLane> {
  const [connection, worker] = await Promise.all([server.client('producer'), server.client('worker')]);
  return createIndexLane({ pool: pool(), connection, worker, newId, locks: LOCKS, ...more });
}

laneConformance('on BullMQ', {
  open: (onFailed) => {
    pools += 1;
    return openLane({ onFailed });
  },
});

describe('the queue index-maintenance', () => {
  const lanes: MaintenanceLane[] = [];
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const lane of lanes.splice(0)) await lane.stop();
  });

  async function lane(more: Partial<IndexLaneOptions> = {}): Promise<MaintenanceLane> {
    const made = await openLane(more);
    lanes.push(made);
    return made;
  }

  async function queueOf(): Promise<Queue> {
    const queue = new Queue(indexQueueName(pool()), { connection: await server.client('ledger'), prefix: QUEUE_PREFIX });
    return queue.on('error', () => undefined);
  }

  it('has the name of its pool, and takes no tasks', () => {
    expect([indexQueueName('default'), indexQueueName('north')]).toEqual(['index-maintenance', 'index-maintenance@north']);
    expect(isQueueName('index-maintenance')).toBe(false);
  });

  it('gives the task of a host that was killed to the next one, and what waited behind it too', async () => {
    pools += 1;
    const producer = await lane();
    const first = await producer.submit(task(ROOT_A, 'build'));
    const second = await producer.submit(task(ROOT_A, 'check'));
    const child = spawn(process.execPath, scriptArgs(CHILD, [pool(), JSON.stringify(server.target())]), { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [line] = await once(createInterface(child.stdout), 'line');
    expect(line).toBe(`begun build ${first.job}`);
    child.kill('SIGKILL');

    const next = await lane();
    const gate = gatedHandler();
    next.process(gate.handle);
    await next.start();
    await gate.atLeast(1);
    for (const { end } of gate.begun) end();
    await gate.atLeast(2);
    // Nothing in Redis keeps the order of two tasks whose locks ended together; each is done, one at a time.
    expect(gate.begun.map(({ job }) => job).sort()).toEqual([first.job, second.job].sort());
  });

  it('puts a task that a stop cut short back, for the next host', async () => {
    pools += 1;
    const [first, second] = [await lane(), await lane()];
    const [before, after] = [gatedHandler(), gatedHandler()];
    first.process(before.handle);
    second.process(after.handle);
    await first.start();
    const { job } = await first.submit(task(ROOT_A, 'build'));
    await before.atLeast(1);
    await first.stop();
    await second.start();
    await after.atLeast(1);
    expect(after.begun[0]?.job).toBe(job);
  });

  it('keeps what was taken through a crash of Redis', async () => {
    await using lone = await startTestRedis();
    pools += 1;
    const [connection, worker] = await Promise.all([lone.client('producer'), lone.client('worker')]);
    const crashed = createIndexLane({ pool: pool(), connection, newId });
    const { job } = await crashed.submit(task(ROOT_A, 'reconcile'));
    await lone.kill();
    await lone.restart();
    const host = createIndexLane({ pool: pool(), connection: await lone.client('producer'), worker, newId, locks: LOCKS });
    const gate = gatedHandler();
    host.process(gate.handle);
    await host.start();
    await gate.atLeast(1);
    expect(gate.begun[0]?.job).toBe(job);
    gate.begun[0]?.end();
    await host.stop();
  });

  it('writes on the job how far it is', async () => {
    pools += 1;
    const host = await lane();
    const raw = await queueOf();
    const gate = gatedHandler();
    host.process((one, job, signal, tell) => {
      for (const done of [1, 2, 3]) tell({ kind: 'build', phase: 'TOKENIZE', done, total: 9, started_at: '2026-01-01T00:00:00.000Z' });
      return gate.handle(one, job, signal);
    });
    await host.start();
    const { job } = await host.submit(task(ROOT_A, 'build'));
    await gate.atLeast(1);
    await lookAgain({
      look: async () => ((await raw.getJob(job))?.progress === 0 ? undefined : true),
      timeoutMs: PATIENCE_MS,
      failure: () => 'the job says nothing',
    });
    expect((await raw.getJob(job))?.progress).toEqual({ phase: 'TOKENIZE', done: 1, total: 9 });
    await raw.close();
  });

  it('fails what somebody else put there, and does the next task', async () => {
    pools += 1;
    const raw = await queueOf();
    const client = await server.client('ledger');
    await raw.add('build', { v: 1, key_hash: 'short', kind: 'build', reason: '' });
    await raw.add('format-the-disk', 'not even an object');
    const broken = await raw.add('build', {});
    await client.hset(raw.toKey(broken.id ?? ''), 'data', '{"v":');
    const host = await lane();
    const gate = gatedHandler();
    host.process(gate.handle);
    await host.start();
    const { job } = await host.submit(task(ROOT_A, 'build'));
    await gate.atLeast(1);
    expect(gate.begun.map((one) => one.job)).toEqual([job]);
    await lookAgain({
      look: async () => ((await raw.getFailedCount()) === 3 ? true : undefined),
      timeoutMs: PATIENCE_MS,
      failure: () => 'the three did not fail',
    });
    for (const id of await client.zrange(raw.toKey('failed'), '0', '-1')) {
      expect(await client.hget(raw.toKey(id), 'failedReason')).toBe('INVALID_MANIFEST: the job is no maintenance task');
    }
    await raw.close();
  });

  it('takes nothing when Redis is nearly full, or away', async () => {
    pools += 1;
    const full = await lane({ guard: { check: () => Promise.reject(new Error('full')) } });
    await expect(full.submit(task(ROOT_A, 'build'))).rejects.toThrow('full');
    await using lone = await startTestRedis();
    const away = createIndexLane({ pool: pool(), connection: await lone.client('producer'), newId });
    await lone.kill();
    await expect(away.submit(task(ROOT_A, 'build'))).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});
