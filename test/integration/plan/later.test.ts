import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import { envelopeOf, fileStep, type LinkedPlan, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

const HOUR = 3_600_000;

describe('a plan that is pushed for later', () => {
  let plans: PlanRig;
  let directory: string;
  let worker: Lifecycle | undefined;
  let queue: Queue;
  const at = (name: string): string => join(directory, name);
  const move = (): object => envelopeOf([fileStep('FILE_MOVE', at('a'), at('b'))]);

  beforeAll(async () => {
    plans = await startPlanRig();
    queue = new Queue('plan', { prefix: QUEUE_PREFIX, connection: await plans.rig.redis.client('worker') });
  });
  afterAll(async () => {
    await queue.close();
    await plans[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    directory = mkdtempSync(join(plans.rig.base, 'later-'));
    writeFileSync(at('a'), 'a');
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });

  /** Linked, and leased from a time on. */
  async function leasedFrom(envelope: object, notBefore: number): Promise<LinkedPlan> {
    const plan = await plans.link(envelope);
    const { lease } = await plans.kernel.issuePlan({ envelope: plan.envelope }, { notBefore: Math.floor(notBefore / 1000) });
    return { ...plan, lease };
  }
  const stateOf = async (id: string): Promise<string> => queue.getJobState(`p_${id}`);

  it('waits until then, has a lease that counts from then on, and keeps the time of its first push', async () => {
    const notBefore = Date.now() + HOUR;
    const plan = await leasedFrom(move(), notBefore);
    const payload = JSON.parse(Buffer.from(plan.lease.split('.')[1] ?? '', 'base64url').toString()) as { readonly iat: number };
    expect(payload.iat).toBe(Math.floor(notBefore / 1000));
    expect(await plans.plans.push(plan, { notBefore, priority: 5 })).toMatchObject({ kind: 'accepted' });
    expect(await plans.plans.push(plan)).toMatchObject({ kind: 'in-flight' });
    const job = await queue.getJob(`p_${plan.id}`);
    expect(job?.opts).toMatchObject({ priority: 5 });
    expect((job?.timestamp ?? 0) + (job?.delay ?? 0)).toBeGreaterThanOrEqual(notBefore);
    expect(job?.delay).toBeLessThanOrEqual(HOUR);
    expect(await plans.plans.view(plan.id)).toMatchObject({ state: 'waiting' });
  });

  it('goes back when somebody brings its job forward, with nothing of it begun, and is cancelled at once', async () => {
    const notBefore = Date.now() + HOUR;
    const plan = await leasedFrom(move(), notBefore);
    await plans.plans.push(plan, { notBefore });
    worker = await plans.rig.startWorker();
    await (await queue.getJob(`p_${plan.id}`))?.promote();
    await expect.poll(async () => (await queue.getJob(`p_${plan.id}`))?.attemptsStarted).toBe(1);
    await expect.poll(() => stateOf(plan.id)).toBe('delayed');
    expect(await plans.plans.history(plan.id, { limit: 1 })).toBeUndefined();
    expect(await plans.plans.cancel(plan.id)).toBe('requested');
    expect((await plans.ended(plan.id)).view.error?.code).toBe('CANCELLED');
    expect(existsSync(at('a'))).toBe(true);
  });

  it('begins when its time has come', async () => {
    const notBefore = Date.now() + 1500;
    const plan = await leasedFrom(move(), notBefore);
    worker = await plans.rig.startWorker();
    await plans.plans.push(plan, { notBefore });
    expect((await plans.ended(plan.id)).view.state).toBe('success');
    expect(Date.now()).toBeGreaterThanOrEqual(notBefore);
  });

  it('waits for its lease alone, too, as the job of a raw producer under an id of its own', async () => {
    const plan = await leasedFrom(move(), Date.now() + HOUR);
    worker = await plans.rig.startWorker();
    const raw = await queue.add('plan', { v: 1, envelope: plan.envelope, lease: plan.lease }, { jobId: 'raw-1' });
    await expect.poll(() => queue.getJobState(raw.id ?? '')).toBe('delayed');
    expect(await plans.plans.history(plan.id, { limit: 1 })).toBeUndefined();
  });

  it('runs on then when it has failed before, as a new job', async () => {
    const missing = envelopeOf([fileStep('FILE_MOVE', at('none'), at('b'))]);
    const plan = await plans.link(missing);
    worker = await plans.rig.startWorker();
    await plans.push(plan);
    expect((await plans.ended(plan.id)).view.error?.code).toBe('EXECUTION_FAILED');
    await expect.poll(() => stateOf(plan.id)).toBe('failed');
    writeFileSync(at('none'), 'now');
    const notBefore = Date.now() + 1500;
    expect(await plans.plans.push(await leasedFrom(missing, notBefore), { notBefore })).toMatchObject({ kind: 'accepted' });
    expect(await stateOf(plan.id)).toBe('delayed');
    expect((await plans.ended(plan.id, ({ state }) => state === 'success')).view.state).toBe('success');
  });

  it('does not count among the plans that are parked when it begins later than in an hour', async () => {
    const jobs = createPlanJobs({ connection: await plans.rig.redis.client('worker'), pool: 'default' });
    const before = await jobs.parked();
    const data = { v: 1 as const, envelope: {}, lease: '' };
    await jobs.add('c'.repeat(64), data, { delay: 2 * HOUR });
    expect(await jobs.parked()).toBe(before);
    await jobs.add('d'.repeat(64), data, { delay: HOUR / 2 });
    expect(await jobs.parked()).toBe(before + 1);
    await jobs.close();
  });

  it.each([
    ['a year and more ahead', { notBefore: Date.now() + 400 * 24 * HOUR }, 'not_before'],
    ['a priority that is none', { priority: -1 }, 'priority'],
  ])('is refused for %s', async (_what, options, field) => {
    await expect(plans.plans.push(await plans.link(move()), options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field });
  });
});
