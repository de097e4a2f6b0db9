import { describe, expect, it } from 'vitest';
import { createResidents } from '../../../../processors/plan/residents.ts';
import { CANCELLED_MESSAGE, failure, type Outcome, success } from '../../../../src/core/outcome.ts';
import type { Bindings, TaskRow } from '../../../../src/core/ports/index.ts';
import { say } from '../../../support/plan-core.ts';
import { createPlanWorld } from './world.ts';

const HTTP: Bindings = () => ({ adapter: 'http', provider: 'echo' });
const CANCELLED_STEP = failure('EXECUTION_FAILED', CANCELLED_MESSAGE);

/** A plan of one step whose first one is on its queue, and which somebody cancels. */
async function cancelled() {
  const world = await createPlanWorld([say()], HTTP);
  const step = world.manifestAt('0');
  await world.deliver();
  world.view.cancelRequested = true;
  const kept = async () => (await world.journal.entries(world.planSha256)).map(({ taskId, voided }) => [taskId, voided]);
  return { world, step, kept };
}

describe('a step of a plan that somebody cancels', () => {
  it.each([
    ['is cancelled before it began', CANCELLED_STEP],
    ['is done', success({ data: {} })],
  ])('%s after its row was read: it is kept', async (_, outcome: Outcome) => {
    const { world, step, kept } = await cancelled();
    const { ledger } = world.deps;
    let looks = 0;
    const row = async (taskId: string): Promise<TaskRow | undefined> => {
      looks += 1;
      if (looks > 1) return ledger.row(taskId);
      const before = await ledger.row(taskId);
      await world.answer(step, outcome);
      return before;
    };
    world.deps = { ...world.deps, ledger: { ...ledger, row } };
    const isCancelled = outcome === CANCELLED_STEP;
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: isCancelled ? { code: 'CANCELLED' } : { status: 'SUCCESS' } });
    expect(await kept()).toEqual([[step.task_id, false]]);
    if (!isCancelled) return;
    // A retry runs it anew, and does not take the cancel of then for its answer.
    world.view.cancelRequested = false;
    world.retry();
    world.standAt(world.manifestAt('0', 1));
    expect(await world.deliver()).toMatchObject({ kind: 'parked' });
    expect(await kept()).toEqual([[step.task_id, true]]);
    expect(world.pushed.map(({ task_id }) => task_id)).toEqual([step.task_id, world.manifestAt('0', 1).task_id]);
  });

  it('is cancelled while the plan waits for it in its slot: the plan ends with CANCELLED, and not with its failure', async () => {
    const world = await createPlanWorld([say()], HTTP);
    const step = world.manifestAt('0');
    const hear = async (): Promise<boolean> => {
      world.deps.inFlight.stop({ jobIds: [`p_${world.planSha256}`] }, 'cancelled');
      await world.answer(step, CANCELLED_STEP);
      return true;
    };
    world.deps = { ...world.deps, residents: { ...createResidents({ onRecorded: async () => async () => undefined, slots: 2 }), hear } };
    expect(await world.deliver()).toMatchObject({ kind: 'ended', end: { code: 'CANCELLED' } });
  });
});
