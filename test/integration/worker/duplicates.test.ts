import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { parkedKey, workerKey } from '../../../src/adapters/redis/keys.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure } from '../../../src/core/outcome.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

/** A job that is parked so long has been woken when it comes back: no answer below waits for a timer. */
const ENDLESS = { parkMs: 24 * 3600 * 1000 };
/** More than two workers have slots. */
const MANY = 500;
/** What a worker needs to answer them is left to it. */
const LOOK = { interval: 250 };

let rig: Rig;
let redis: Redis;
let queue: Queue;
const children: ChildProcess[] = [];
beforeEach(async () => {
  rig = await startRig({ logLevel: process.env['RIG_LOG'] ?? 'silent' });
  redis = await rig.redis.client();
  queue = new Queue('file', { connection: await rig.redis.client('worker'), prefix: QUEUE_PREFIX });
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed));
  await queue.close();
  await rig.stop();
});

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function workerProcess(dieAfterEffect: boolean): ChildProcess {
  const setup = join(rig.places.dataDir, `${randomUUID()}.json`);
  writeFileSync(setup, JSON.stringify({ config: rig.config, dataDir: rig.places.dataDir, ...ENDLESS, dieAfterEffect }));
  const child = spawn(process.execPath, scriptArgs(new URL('./duplicates-child.ts', import.meta.url), [setup]), { stdio: 'inherit' });
  children.push(child);
  return child;
}

function copyOf(): { readonly manifest: TaskManifest; readonly destination: string } {
  const source = join(rig.base, `${randomUUID()}.txt`);
  writeFileSync(source, 'content');
  return { manifest: manifestOf('FILE_COPY', source, `${source}.copy`), destination: `${source}.copy` };
}

/** Raw jobs of one task: ids of BullMQ's own, each with a lease of its own or all with this one. */
async function duplicatesOf(manifest: TaskManifest, count: number, lease?: string): Promise<readonly Job[]> {
  const given = lease ?? (await rig.lease(manifest));
  return queue.addBulk(Array.from({ length: count }, () => ({ name: 'raw', data: { v: 1, manifest, lease: given } })));
}

/** Looks whether all jobs are in this state: one after the other to the first that is not, and at the end at all of them at once. */
function allAre(jobs: readonly Job[], state: string): () => Promise<readonly string[]> {
  let at = 0;
  return async () => {
    for (; at < jobs.length; at += 1) {
      const is = await jobs[at]?.getState();
      if (is !== state) return [`${at} ${is}`];
    }
    at = 0;
    return [...new Set(await Promise.all(jobs.map((job) => job.getState())))];
  };
}
const startsOf = (jobs: readonly Job[]) => Promise.all(jobs.map(async ({ id = '' }) => (await queue.getJob(id))?.attemptsStarted));

/** Some other worker has the task in hand; it is the one of job `t_<task_id>`, which is on no queue yet. */
async function heldElsewhere(manifest: TaskManifest): Promise<void> {
  const { exp = 0 } = JSON.parse(Buffer.from((await rig.lease(manifest)).split('.')[1] ?? '', 'base64url').toString()) as { exp?: number };
  await redis.set(workerKey('elsewhere'), '1');
  await rig.ledger.markGeneration('first');
  const jobKey = `file:t_${manifest.task_id}`;
  await rig.ledger.claim({ taskId: manifest.task_id, manifestSha256: manifestSha256(manifest), jobKey, instance: 'elsewhere', exp, now: Date.now() });
}

describe(`${MANY} raw duplicates of one task`, () => {
  it('are parked by two workers while it runs, hold no slot, and are all woken by its end', { tags: ['FE-37'] }, async () => {
    const { manifest, destination } = copyOf();
    await heldElsewhere(manifest);
    const duplicates = await duplicatesOf(manifest, MANY);
    await rig.startWorker(ENDLESS);
    await rig.startWorker(ENDLESS);
    await expect.poll(allAre(duplicates, 'delayed'), LOOK).toEqual(['delayed']);
    expect(await redis.hlen(parkedKey(manifest.task_id))).toBe(MANY);
    const starts = await startsOf(duplicates);

    // Other tasks find every slot free, and none of these is looked at meanwhile.
    const other = copyOf();
    await rig.push(other.manifest);
    await rig.answer(other.manifest.task_id);
    expect(await startsOf(duplicates)).toEqual(starts);

    await rig.push(manifest);
    await expect.poll(allAre(duplicates, 'completed'), LOOK).toEqual(['completed']);
    expect(await redis.exists(parkedKey(manifest.task_id))).toBe(0);
    expect(readFileSync(destination, 'utf8')).toBe('content');
    expect(await rig.ledger.row(manifest.task_id)).toMatchObject({ state: 'success', epoch: 2 });
  });

  it('that come together are answered, and so is each that comes when it is finished', async () => {
    await rig.startWorker(ENDLESS);
    await rig.startWorker(ENDLESS);
    const { manifest } = copyOf();
    await expect.poll(allAre(await duplicatesOf(manifest, MANY), 'completed'), LOOK).toEqual(['completed']);
    const late = await duplicatesOf(manifest, 50);
    await expect.poll(allAre(late, 'completed'), LOOK).toEqual(['completed']);
    expect(await redis.exists(parkedKey(manifest.task_id))).toBe(0);
  });

  it('are all answered with the one FAILURE of its run', async () => {
    const { manifest, destination } = copyOf();
    writeFileSync(destination, 'is there already');
    await heldElsewhere(manifest);
    const duplicates = await duplicatesOf(manifest, MANY);
    await rig.startWorker(ENDLESS);
    await expect.poll(allAre(duplicates, 'delayed'), LOOK).toEqual(['delayed']);
    await rig.push(manifest);
    await expect.poll(allAre(duplicates, 'failed'), LOOK).toEqual(['failed']);
    const reasons = new Set(await Promise.all(duplicates.map(async ({ id = '' }) => (await queue.getJob(id))?.failedReason)));
    expect([...reasons]).toEqual([expect.stringMatching(/^EXECUTION_FAILED: /)]);
    expect(await rig.ledger.row(manifest.task_id)).toMatchObject({ state: 'failure', epoch: 2 });
  });
});

it('duplicates with living leases do not share the end of one whose lease had expired', async () => {
  const { manifest, destination } = copyOf();
  await heldElsewhere(manifest);
  const duplicates = await duplicatesOf(manifest, 20);
  await rig.startWorker(ENDLESS);
  await expect.poll(allAre(duplicates, 'delayed'), LOOK).toEqual(['delayed']);
  await rig.push(manifest, { lease: await rig.lease(manifest, { iat: 1_000, exp: 1_001 }) });
  await expect.poll(allAre(duplicates, 'completed'), LOOK).toEqual(['completed']);
  expect(readFileSync(destination, 'utf8')).toBe('content');
});

describe('killed while duplicates are parked', () => {
  it('the worker that parked them: the end of the task wakes them all the same', { tags: ['FE-38'] }, async () => {
    const { manifest } = copyOf();
    await heldElsewhere(manifest);
    const duplicates = await duplicatesOf(manifest, 100);
    const parker = workerProcess(false);
    await expect.poll(allAre(duplicates, 'delayed'), LOOK).toEqual(['delayed']);
    await killed(parker);
    await rig.startWorker(ENDLESS);
    await rig.push(manifest);
    await expect.poll(allAre(duplicates, 'completed'), LOOK).toEqual(['completed']);
  });

  it('the worker that runs the task, after the effect: who takes over wakes them, and nothing is done twice', { tags: ['FE-38', 'FE-39'] }, async () => {
    const { manifest, destination } = copyOf();
    const dying = workerProcess(true);
    const exit = once(dying, 'exit');
    await rig.push(manifest);
    await exit;
    expect(existsSync(destination)).toBe(true);
    const duplicates = await duplicatesOf(manifest, 100);
    await rig.startWorker(ENDLESS);
    await expect.poll(allAre(duplicates, 'completed'), LOOK).toEqual(['completed']);
    await expect.poll(async () => (await queue.getJob(`t_${manifest.task_id}`))?.getState()).toBe('completed');
  });

  it('the worker that should have woken them: they come back by themselves', async () => {
    const { manifest } = copyOf();
    await heldElsewhere(manifest);
    const duplicates = await duplicatesOf(manifest, 20);
    await rig.startWorker({ parkMs: 300 });
    await expect.poll(() => redis.hlen(parkedKey(manifest.task_id))).toBe(20);
    // The outcome as its worker would record it, and then nothing more.
    const result = await rig.sign(manifest, failure('EXECUTION_FAILED', 'no'));
    const record = { taskId: manifest.task_id, epoch: 1, status: 'FAILURE', errorCode: 'EXECUTION_FAILED', result, now: Date.now() } as const;
    expect(['recorded', 'awaited']).toContain(await rig.ledger.record(record));
    await expect.poll(allAre(duplicates, 'failed'), LOOK).toEqual(['failed']);
  });
});
