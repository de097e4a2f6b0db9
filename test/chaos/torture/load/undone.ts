import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, insist } from '../insist.ts';
import type { StepAsk } from '../model.ts';
import type { Stage } from '../stage.ts';
import { askedPlan, fileStep, onceStep } from './plans.ts';
import { envelopeFor, pushPlan } from './push-plan.ts';

const LOOK_S = 2;

/** A plan that is taken back whole. */
export async function undonePlan(stage: Stage): Promise<void> {
  const steps = ['0', '1', '2'].map((path) => fileStep(stage, path, stage.random.pick(['move', 'delete'] as const)));
  await runAndUndo(stage, steps, undefined);
}

/** A plan with a step in its middle that cannot be taken back: what comes before it stands. */
export async function halfUndonePlan(stage: Stage): Promise<void> {
  const middle = stage.random.chance(0.5) ? fileStep(stage, '1', 'copy') : onceStep(stage, '1');
  await runAndUndo(stage, [fileStep(stage, '0', 'move'), middle, fileStep(stage, '2', 'move')], '1');
}

async function runAndUndo(stage: Stage, steps: readonly StepAsk[], stopsAt: string | undefined): Promise<void> {
  const { ask, webhook } = askedPlan(stage, steps);
  const end = await (await pushPlan(stage, ask, envelopeFor(ask), webhook)).ended;
  if (end?.state !== 'success') return;
  stage.model.undos.push({ plan: ask.id, stopsAt });
  // By two at once, and again until it has ended: it is one undo.
  await Promise.all([untilUndone(stage, ask.id), untilUndone(stage, ask.id)]);
}

async function untilUndone(stage: Stage, plan: string): Promise<void> {
  while (!stage.over.aborted) {
    const answer = await insist(() => stage.site.client.plans.undo(plan, { wait: LOOK_S }), stage.over).catch((error: unknown) => {
      // Redis was emptied while the API waited for the undo that it had pushed.
      if (codeOf(error) === 'NOT_FOUND') return undefined;
      throw error;
    });
    if (answer?.state === 'success' || answer?.state === 'failure') return;
    await delay(100);
  }
}
