import { isWritError } from '../../src/core/errors.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { DerivedLease, PlanKernel } from '../../src/core/ports/index.ts';
import type { PlanInHand } from './plan-in-hand.ts';

/** A lease for the step, showing the kernel only what it has not seen; all of it when it has forgotten. */
export async function deriveLease(plan: PlanInHand, step: PlanStep, kernel: PlanKernel): Promise<DerivedLease> {
  const { shown } = plan.walk;
  if (shown === 0) return ask(plan, step, 0, kernel);
  try {
    return await ask(plan, step, shown, kernel);
  } catch (error) {
    if (isWritError(error) && error.code === 'WRONG_STATE') return ask(plan, step, 0, kernel);
    throw error;
  }
}

async function ask({ planSha256, envelope, lease, walk }: PlanInHand, { path }: PlanStep, since: number, kernel: PlanKernel): Promise<DerivedLease> {
  const answers = walk.answers(since);
  walk.shown = 0;
  const derived = await kernel.derive({ planSha256, lease, ...(since === 0 ? { envelope } : {}), since, answers, voided: walk.voided(path) });
  walk.shown = since + answers.length;
  return derived;
}
