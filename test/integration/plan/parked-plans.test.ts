import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Job, Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { planKey } from '../../../src/adapters/redis/keys.ts';
import type { ServerTarget } from '../../../src/adapters/redis/target.ts';
import type { WorkerRoleOptions } from '../../../src/bin/roles/worker.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { envelopeOf, fileStep, type LinkedPlan, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

/** A job that is parked so long has been woken when it comes back. */
const ENDLESS = { parkMs: 24 * 3600 * 1000 };

/** The plan role runs; the file role starts when a test wants it to: until then every plan waits for its first step. */
describe('a plan that waits for a step', () => {
  let plans: PlanRig;
  let directory: string;
  let workers: Lifecycle[];
  const at = (name: string): string => join(directory, name);
  const startWorker = async (queues?: readonly string[], hooks: Pick<WorkerRoleOptions, 'parkMs' | 'onPoint'> = {}): Promise<void> => {
    workers.push(await plans.rig.startWorker({ queues, ...hooks }));
  };
  const stopWorkers = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop()));
    workers = [];
  };
  const twoMoves = (): Promise<LinkedPlan> => plans.link(envelopeOf([fileStep('FILE_MOVE', at('a'), at('b')), fileStep('FILE_MOVE', at('b'), at('c'))]));
  const parked = (plan: LinkedPlan) => plans.view(plan.id, ({ current }) => current?.path === '0');

  beforeAll(async () => {
    plans = await startPlanRig();
  });
  afterAll(async () => {
    await plans[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    directory = mkdtempSync(join(plans.rig.base, 'plan-'));
    workers = [];
    await startWorker(['plan']);
    writeFileSync(at('a'), 'a');
  });
  afterEach(stopWorkers);

  it('shows its step, holds no slot, and goes on when the step has its answer', async () => {
    const plan = await twoMoves();
    expect(await plans.push(plan)).toMatchObject({ kind: 'accepted', queue: 'plan', jobId: `p_${plan.id}` });
    expect(await parked(plan)).toMatchObject({ state: 'running', stepsDone: 0, current: { path: '0', tool: 'writ.file', operation: 'FILE_MOVE' } });
    await expect.poll(() => stateOf(plan)).toBe('delayed');
    expect(await plans.push(plan)).toMatchObject({ kind: 'in-flight' });
    await startWorker(['file']);
    expect((await plans.ended(plan.id)).view.state).toBe('success');
    expect(readFileSync(at('c'), 'utf8')).toBe('a');
  });

  it('ends with CANCELLED when it is cancelled, and the step that had not begun never does', async () => {
    const plan = await twoMoves();
    await plans.push(plan);
    const taskId = (await parked(plan)).current?.taskId ?? '';
    expect(await plans.plans.cancel(plan.id)).toBe('requested');
    await expect.poll(async () => (await plans.rig.ledger.row(taskId))?.cancelRequested).toBe(true);
    await startWorker(['file']);
    const { view, envelope } = await plans.ended(plan.id);
    expect(view.error?.code).toBe('CANCELLED');
    expect(envelope.error?.code).toBe('CANCELLED');
    expect([existsSync(at('a')), existsSync(at('b'))]).toEqual([true, false]);
    expect(await plans.plans.cancel(plan.id)).toBe('ended');
    expect(await plans.plans.cancel('e'.repeat(64))).toBe('not-found');
  });

  it('is cancelled before its first step when nobody has taken it yet, and runs when it is retried', async () => {
    await stopWorkers();
    const plan = await twoMoves();
    await plans.push(plan);
    expect(await plans.plans.cancel(plan.id)).toBe('requested');
    await startWorker();
    const { view, envelope } = await plans.ended(plan.id);
    expect([view.error?.code, envelope.output.results]).toEqual(['CANCELLED', []]);
    await expect.poll(() => plans.plans.retry(plan.id)).toBe('retried');
    await plans.ended(plan.id, ({ state }) => state === 'success');
    expect(readFileSync(at('c'), 'utf8')).toBe('a');
  });

  it('comes back by itself when Redis is emptied, with one effect per step', async () => {
    const plan = await twoMoves();
    await plans.push(plan);
    await parked(plan);
    // While the first step runs its queue is paused, so that the second one cannot begin before Redis is emptied.
    let isPaused = false;
    const pause = (): void => {
      if (!isPaused) redisCli(plans.rig.redis.target(), 'HSET', `${QUEUE_PREFIX}:file:meta`, 'paused', '1');
      isPaused = true;
    };
    await startWorker(['file'], { onPoint: pause });
    await plans.view(plan.id, ({ stepsDone, current }) => stepsDone === 1 && current?.path === '1');
    await plans.rig.redis.flushAll();
    expect((await plans.ended(plan.id)).view.state).toBe('success');
    expect([existsSync(at('a')), existsSync(at('b')), readFileSync(at('c'), 'utf8')]).toEqual([false, false, 'a']);
  });

  describe('and was pushed by raw producers, under ids of their own', () => {
    let queue: Queue;
    beforeEach(async () => {
      queue = new Queue('plan', { connection: await plans.rig.redis.client('worker'), prefix: QUEUE_PREFIX });
      // Nothing that is parked comes back by itself.
      await stopWorkers();
      await startWorker(['plan'], ENDLESS);
    });
    afterEach(() => queue.close());
    const pushRaw = (plan: LinkedPlan, times: number, lease = plan.lease): Promise<Job[]> =>
      Promise.all(Array.from({ length: times }, (_, n) => queue.add('plan', { v: 1, envelope: plan.envelope, lease }, n === 0 ? { jobId: randomUUID() } : {})));
    const statesOf = (jobs: readonly Job[]) => async () => [...new Set(await Promise.all(jobs.map((job) => job.getState())))];

    it('has one effect per step, ends all jobs with its end, and is found under its own id', async () => {
      const plan = await twoMoves();
      const jobs = await pushRaw(plan, 20);
      await parked(plan);
      await expect.poll(statesOf(jobs)).toEqual(['delayed']);
      expect(await plans.push(plan)).toMatchObject({ kind: 'in-flight', jobId: `p_${plan.id}` });
      await startWorker(['file'], ENDLESS);
      await expect.poll(statesOf(jobs)).toEqual(['completed']);
      expect(readFileSync(at('c'), 'utf8')).toBe('a');
      expect(existsSync(at('a'))).toBe(false);
      expect((await plans.ended(plan.id)).view.state).toBe('success');
      // One that comes later is answered as well.
      await expect.poll(statesOf(await pushRaw(plan, 2))).toEqual(['completed']);
    });

    it('is cancelled and retried like any other, and sending it again is a retry', async () => {
      const plan = await twoMoves();
      const jobs = await pushRaw(plan, 3);
      await parked(plan);
      expect(await plans.plans.cancel(plan.id)).toBe('requested');
      await startWorker(['file'], ENDLESS);
      await expect.poll(statesOf(jobs)).toEqual(['failed']);
      for (const { id = '' } of jobs) expect((await queue.getJob(id))?.failedReason).toMatch(/^CANCELLED: /);
      expect(existsSync(at('c'))).toBe(false);
      await expect.poll(async () => (await queue.getJob(`p_${plan.id}`))?.getState()).toBe('failed');
      const again = await pushRaw(plan, 3);
      await expect.poll(statesOf(again)).toEqual(['completed']);
      expect(readFileSync(at('c'), 'utf8')).toBe('a');
    });

    it('loses none of them when workers are stopped while they wait', async () => {
      const plan = await twoMoves();
      const jobs = await pushRaw(plan, 5);
      await expect.poll(statesOf(jobs)).toEqual(['delayed']);
      await stopWorkers();
      await startWorker(['plan'], ENDLESS);
      await startWorker(['plan', 'file'], ENDLESS);
      await queue.getJob(`p_${plan.id}`).then((job) => job?.promote().catch(() => undefined));
      await expect.poll(statesOf(jobs)).toEqual(['completed']);
    });

    it('runs though its view in Redis is of another type', async () => {
      const plan = await twoMoves();
      const redis = await plans.rig.redis.client();
      await redis.set(planKey(plan.id), 'x');
      const jobs = await pushRaw(plan, 1);
      await parked(plan);
      await redis.set(planKey(plan.id), 'x');
      await startWorker(['file'], ENDLESS);
      await expect.poll(statesOf(jobs)).toEqual(['completed']);
      expect((await plans.ended(plan.id)).view.state).toBe('success');
    });
  });

  it('goes on in another worker when its own has stopped', async () => {
    const plan = await twoMoves();
    await plans.push(plan);
    await parked(plan);
    await stopWorkers();
    await startWorker();
    expect((await plans.ended(plan.id)).view.state).toBe('success');
  });

  it('refuses what is no plan job, with the field, and goes on', async () => {
    const queue = new Queue('plan', { connection: await plans.rig.redis.client('worker'), prefix: QUEUE_PREFIX });
    const bad = await Promise.all([queue.add('plan', { v: 1, envelope: 'x' }), queue.add('plan', {}), queue.add('x', { v: 2, envelope: {}, lease: '' })]);
    const reasons = async () => Promise.all(bad.map(async ({ id = '' }) => (await queue.getJob(id))?.failedReason));
    await expect
      .poll(reasons)
      .toEqual([
        expect.stringMatching(/^INVALID_MANIFEST: envelope: /),
        expect.stringMatching(/^INVALID_MANIFEST: v: /),
        expect.stringMatching(/^INVALID_MANIFEST: v: /),
      ]);
    await queue.close();
  });

  async function stateOf(plan: LinkedPlan): Promise<string> {
    const redis = await plans.rig.redis.client();
    return (await redis.zscore('{writ}:plan:delayed', `p_${plan.id}`)) === null ? 'not delayed' : 'delayed';
  }
});

/** At once: nothing of this process goes on meanwhile. */
function redisCli(target: ServerTarget, ...args: readonly string[]): void {
  if (!('path' in target)) throw new Error('the server of a test has a socket');
  const { path, password } = target;
  execFileSync('redis-cli', ['-s', path, '--no-auth-warning', '-a', password, ...args]);
}
