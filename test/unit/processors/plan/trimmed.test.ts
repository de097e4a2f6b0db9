import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../processors/delivery.ts';
import { followPlan } from '../../../../processors/plan/follow.ts';
import { failure, success } from '../../../../src/core/outcome.ts';
import type { Bindings } from '../../../../src/core/ports/index.ts';
import { NOW } from '../../../fixtures/authority/world.ts';
import { say } from '../../../support/plan-core.ts';
import { wishAt } from '../../../support/wishes.ts';
import { createPlanWorld } from './world.ts';

const STEP = [say()];
const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });
const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** A plan that has succeeded. */
async function doneWorld() {
  const world = await createPlanWorld(STEP, HTTP);
  await world.deliver();
  await world.answer(world.manifestAt('0'), success({ data: 1 }));
  expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'SUCCESS' } });
  return world;
}

const wasRun = {
  status: 'FAILURE',
  code: 'EXECUTION_FAILED',
  message: expect.stringMatching(/^this plan was done on .*Z; what it has done is no longer kept/),
};

describe('a plan that was trimmed', () => {
  it('is answered with a signed failure that says when it was run, and nothing of it is done again', async () => {
    const world = await doneWorld();
    const pushed = world.pushed.length;
    await world.journal.trim(0, FOR_EVER, 200);
    const told = await world.deliver();
    expect(told).toMatchObject({ kind: 'ended', replayed: true, end: wasRun });
    expect(told.kind === 'ended' && JSON.parse(told.end.result)).toMatchObject({ envelope: { error: { code: 'EXECUTION_FAILED' } } });
    expect(world.view.shown).toBe('failure');
    expect(world.pushed.length).toBe(pushed);
  });

  it('before a retry of it is delivered is not retried', async () => {
    const world = await createPlanWorld(STEP, HTTP);
    await world.deliver();
    const { journal } = world;
    await world.answer(world.manifestAt('0'), failure('TOOL_FAILED', 'no'));
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { status: 'FAILURE' } });
    world.retry();
    await journal.trim(0, FOR_EVER, 200);
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { ...wasRun, message: expect.stringMatching(/^this plan was run, and failed, on/) } });
  });

  it('ends a job under another id, which does not wait for a run that never comes', async () => {
    const world = await doneWorld();
    await world.journal.trim(0, FOR_EVER, 200);
    const ran: string[] = [];
    const deps = {
      ...world.deps,
      jobs: { ...world.deps.jobs, run: async (id: string) => void ran.push(id) },
    };
    const delivery = { queue: 'plan', jobId: '7', attempt: { started: 1 }, signal: new AbortController().signal, data: {} } as unknown as Delivery;
    const wished = { planSha256: world.planSha256, envelope: '{}', lease: 'l', wish: wishAt(7) };
    const told = await followPlan(wished, NOW + 60, { v: 1, envelope: world.envelope, lease: 'l' }, delivery, deps);
    expect(told).toMatchObject({ kind: 'ended', end: wasRun });
    expect(ran).toEqual([]);
  });
});
