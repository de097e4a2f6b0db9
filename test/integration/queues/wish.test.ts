import { type Job, UnrecoverableError, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { openQueue } from '../../../queues/open-queue.ts';
import { createPlanJobs, type PlanJobs, planJobId } from '../../../queues/plan-jobs.ts';
import { createPlans } from '../../../queues/plans.ts';
import { wishOf } from '../../../queues/wish.ts';
import { createRedisPlanViews } from '../../../src/adapters/redis/plan-views.ts';
import type { RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { sha256Hex } from '../../../src/core/hash.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const LOCK_MS = 60_000;

/** What BullMQ says of one job of a plan, each time that it hands it over. */
describe('the wish that a job of a plan stands for', () => {
  let server: TestRedis;
  let connection: RedisConnection;
  let jobs: PlanJobs;
  let worker: Worker;
  let taken = 0;
  beforeAll(async () => {
    server = await startTestRedis();
    connection = await server.client('worker');
    jobs = createPlanJobs({ connection, pool: 'default' });
    worker = new Worker('plan', null, { connection, prefix: QUEUE_PREFIX, autorun: false, lockDuration: LOCK_MS, maxStalledCount: 1000 });
    await worker.waitUntilReady();
  });
  afterAll(async () => {
    await worker.close(true);
    await jobs.close();
    await server.stop();
  });

  const wish = ({ id = '', timestamp, attemptsMade, stacktrace }: Job): string =>
    wishOf({ prefix: QUEUE_PREFIX, queue: 'plan', jobId: id, addedAt: timestamp, ends: attemptsMade, failures: stacktrace?.length ?? 0 });
  async function take(): Promise<{ readonly job: Job; readonly token: string; readonly wish: string }> {
    taken += 1;
    const token = `token-${taken}`;
    const job = await worker.getNextJob(token, { block: false });
    if (job === undefined) throw new Error('no job waits');
    return { job, token, wish: wish(job) };
  }
  async function fail({ job, token }: Awaited<ReturnType<typeof take>>): Promise<void> {
    await job.moveToFailed(new UnrecoverableError('TOOL_FAILED: no'), token, false);
  }
  const plans = () =>
    createPlans({ jobs, views: createRedisPlanViews({ redis: connection, retentionMs: 60_000 }), ends: { verifyEnd: async () => false }, clock: systemClock });

  it('is the same however often the job is delivered, and another after each end that somebody retries', async () => {
    const envelope = { n: 1 };
    const id = sha256Hex(canonicalJson(envelope));
    const queue = openQueue('plan', QUEUE_PREFIX, connection);
    await jobs.add(id, { v: 1, envelope, lease: 'a lease' });
    const first = await take();
    await first.job.moveToDelayed(Date.now() + 3_600_000, first.token);
    await jobs.promote(id);
    const promoted = await take();
    // Its worker is lost.
    await connection.del(queue.toKey(`${planJobId(id)}:lock`));
    for (const _look of [1, 2]) {
      await connection.del(queue.toKey('stalled-check'));
      await worker.backend.moveStalledJobsToWait();
    }
    const stalled = await take();
    expect([promoted.wish, stalled.wish]).toEqual([first.wish, first.wish]);
    expect(stalled.job.attemptsStarted).toBe(3);
    await fail(stalled);

    const retries: { readonly [who: string]: () => Promise<unknown> } = {
      operator: () => plans().retry(id),
      push: () => plans().push({ envelope, lease: 'a lease' }),
      board: async () => (await queue.getJob(planJobId(id)))?.retry('failed'),
      rawProducer: async () => (await queue.getJob(planJobId(id)))?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }),
      sweeper: () => jobs.run(id, { v: 1, envelope, lease: 'a lease' }, async (name) => told.push(name) > 0),
    };
    const told: string[] = [];
    const seen = [first.wish];
    for (const [who, retry] of Object.entries(retries)) {
      await retry();
      const again = await take();
      expect(seen, who).not.toContain(again.wish);
      seen.push(again.wish);
      await fail(again);
    }
    expect(told).toEqual([seen.at(-1)]);
    await queue.close();
  });

  it('is told before a job is put back that nobody asked for, and no is heeded', async () => {
    const id = sha256Hex('lost');
    const data = { v: 1, envelope: { lost: true }, lease: 'a lease' } as const;
    await jobs.run(id, data, async () => false);
    expect(await jobs.exists([id])).toEqual([false]);
    const told: string[] = [];
    const mayRun = async (name: string): Promise<boolean> => told.push(name) > 0;
    await jobs.run(id, data, mayRun);
    // One that waits is left alone.
    await jobs.run(id, data, mayRun);
    const back = await take();
    expect(told).toEqual([back.wish]);
    await fail(back);
    await jobs.run(id, data, async () => false);
    expect(await jobs.failed([id])).toEqual([true]);
  });

  it('of a push that stood still until the plan had ended shows nobody that it waits', async () => {
    const envelope = { n: 'paused' };
    const id = sha256Hex(canonicalJson(envelope));
    const views = createRedisPlanViews({ redis: connection, retentionMs: 60_000 });
    const end = { state: 'success', generation: 0, stepsDone: 1, current: undefined, error: undefined, result: '{}' } as const;
    let opened = 0;
    const paused: typeof views = {
      ...views,
      async open(...args) {
        opened += 1;
        if (opened > 1) return views.open(...args);
        // Meanwhile somebody else has pushed it, and it was run.
        await jobs.add(id, { v: 1, envelope, lease: 'a lease' });
        await take();
        await views.show(id, end, Date.now() / 1000 + 60, Date.now());
        return views.open(...args);
      },
    };
    const push = createPlans({ jobs, views: paused, ends: { verifyEnd: async () => false }, clock: systemClock }).push({ envelope, lease: 'a lease' });
    expect([await push, opened]).toMatchObject([{ kind: 'in-flight' }, 1]);
    expect(await views.read(id)).toMatchObject({ state: 'success' });
  });
});
