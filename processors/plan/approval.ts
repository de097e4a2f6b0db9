import { approvalOutcome } from '../../src/core/approval-outcome.ts';
import { isWritError, WritError } from '../../src/core/errors.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { StoredApproval } from '../../src/core/ports/index.ts';
import { endCancelled, keepAnswer, ownAnswer, STALE, type StepEnd } from './answers.ts';
import { isCancelAsked } from './cancel-asked.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { endWith } from './end.ts';
import { amongMany, askKernel, isFinal, takenAnswer } from './hand-over.ts';

/** The shortest time that a plan is parked whose deadline comes at any moment, milliseconds. */
const SHORTEST_PARK_MS = 250;

/** A step that waits for somebody's word, of which the kernel has the only record (docs/plan-protocol.md 10). */
export async function takeApproval(plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd> {
  const { walk, planSha256, generation } = plan;
  const asked = walk.isOnItsWay ? false : await isCancelAsked(plan, deps);
  if (!(await walk.kept())) return STALE;
  if (asked || walk.cancelAsked) return endCancelled(plan, deps);
  try {
    const row = await standing(plan, step, deps);
    // A retry since then has made this another question.
    if ((await deps.journal.generation(planSha256)) !== generation) return STALE;
    if (row.decision === undefined) return await parkedUntil(plan, step, row, deps);
    return await keepAnswer(plan, step, await ownAnswer(step, approvalOutcome(row, row.decision), deps), deps);
  } catch (error) {
    if (isWritError(error) && error.code === 'TASK_ID_CONFLICT') return keepAnswer(plan, step, await takenAnswer(step, deps), deps);
    if (isFinal(error)) return endWith(plan, { code: error.code, message: error.message }, deps);
    throw error;
  }
}

async function standing(plan: PlanContext, step: PlanStep, { questions }: PlanDeps): Promise<StoredApproval> {
  if (questions === undefined) throw new WritError('LEASE_REFUSED', 'this worker reaches no kernel that keeps approvals');
  return askKernel(plan, step, (request) => questions.askApproval(request));
}

/** Nothing is held while it waits. Who decides wakes the plan; a decision that fell before it was parked is found by looking once more. */
async function parkedUntil(plan: PlanContext, step: PlanStep, { role, until }: StoredApproval, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const { path, tool, operation, manifest } = step;
  const current = { path, tool, operation, taskId: manifest.task_id, waits: { for: 'approval' as const, role, until } };
  await plan.walk.show({ state: 'running', stepsDone: plan.replay.stepsDone, current, error: undefined, result: undefined });
  await plan.walk.shown();
  const left = Math.max(SHORTEST_PARK_MS, until - deps.clock.now());
  const isAnswered = async (): Promise<boolean> => (await standing(plan, step, deps)).decision !== undefined;
  return { kind: 'parked', ms: Math.min(left, await amongMany(plan, deps)), isAnswered };
}
