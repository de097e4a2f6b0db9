import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { createTaskFeed } from '../../../queues/task-feed.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { envelopeOf, fileStep, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';
import { temporaryIndex } from '../../support/task-index.ts';

/** One worker serves all queues: steps run in it without a job. */
describe('a step that runs without a job', () => {
  let plans: PlanRig;
  let redis: Redis;
  let file: Queue;
  let directory: string;
  const at = (name: string): string => join(directory, name);

  beforeAll(async () => {
    plans = await startPlanRig();
    directory = mkdtempSync(join(plans.rig.base, 'plan-'));
    redis = await plans.rig.redis.client();
    file = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
    await plans.rig.startWorker();
  });
  afterAll(async () => {
    await file.close();
    await plans[Symbol.asyncDispose]();
  });

  /** What BullMQ was told of the jobs of the queue, oldest first. */
  async function events(): Promise<readonly string[]> {
    const entries = await redis.xrange(`${QUEUE_PREFIX}:file:events`, '-', '+');
    return entries.map(([, fields]) => fields[fields.indexOf('event') + 1] ?? '');
  }

  it('leaves behind the job that it would have had: the board, the index and who asks for the task see it', async () => {
    writeFileSync(at('a'), 'a');
    const steps = [fileStep('FILE_COPY', at('a'), at('b')), fileStep('FILE_MOVE', at('nothing'), at('c'), { on_error: { mode: 'continue' } })];
    const { id, view, envelope } = await plans.run(envelopeOf(steps));
    expect(view).toMatchObject({ state: 'success', stepsDone: 2 });
    expect(await events()).toEqual(['completed', 'failed']);
    const [copied, missed] = await Promise.all([file.getCompleted(), file.getFailed()]);
    expect(copied).toMatchObject([
      { name: 'FILE_COPY', attemptsMade: 1, returnvalue: { status: 'SUCCESS' }, data: { v: 1, manifest: { provenance: { plan_sha256: id, step: '0' } } } },
    ]);
    expect(missed).toMatchObject([{ name: 'FILE_MOVE', failedReason: expect.stringMatching(/^EXECUTION_FAILED: /) }]);
    expect(envelope.output.results.map(({ ok }) => ok)).toEqual([true, false]);

    await using under = await temporaryIndex();
    const feed = createTaskFeed({ connection: redis, pool: 'default', index: under.index, results: plans.rig.results });
    await feed.start();
    try {
      await expect
        .poll(
          async () =>
            (await under.index.list({ plan: id }, { limit: 10 })).tasks.map(({ capability_id: capability, state }) => `${capability} ${state}`).sort(),
          { timeout: PATIENCE_MS },
        )
        .toEqual(['FILE_COPY success', 'FILE_MOVE failure']);
      // A step that ends while the index follows is in it without a look at the whole queue.
      writeFileSync(at('d'), 'd');
      const { id: later } = await plans.run(envelopeOf([fileStep('FILE_COPY', at('d'), at('e'))]));
      await expect.poll(async () => (await under.index.list({ plan: later }, { limit: 10 })).tasks.length, { timeout: PATIENCE_MS }).toBe(1);
    } finally {
      await feed.stop();
    }
  });

  it('waits for its turn on a queue that is paused, and goes on when that is over', async () => {
    writeFileSync(at('f'), 'f');
    await file.pause();
    const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', at('f'), at('g'))]));
    await plans.push(plan);
    const taskId = (await plans.view(plan.id, ({ current }) => current?.path === '0')).current?.taskId ?? '';
    await expect.poll(async () => (await file.getJob(`t_${taskId}`))?.id).toBe(`t_${taskId}`);
    expect(existsSync(at('g'))).toBe(false);
    await file.resume();
    expect((await plans.ended(plan.id)).view.state).toBe('success');
    expect(existsSync(at('g'))).toBe(true);
  });

  it('goes to its queue while that has a bound of its own', async () => {
    writeFileSync(at('h'), 'h');
    await file.setGlobalConcurrency(1);
    const before = (await events()).length;
    expect((await plans.run(envelopeOf([fileStep('FILE_COPY', at('h'), at('i'))]))).view.state).toBe('success');
    expect((await events()).slice(before)).toContain('added');
    await file.removeGlobalConcurrency();
  });
});
