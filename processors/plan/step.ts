import { queueName } from '../../queues/catalog.ts';
import { failure } from '../../src/core/outcome.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { DerivedLease, JobView, TaskRow } from '../../src/core/ports/index.ts';
import { type Answer, answerBeforeClaim, answerIn, answerOf, endCancelled, keepAnswer, ownAnswer, STALE, type StepEnd, takeAnswer } from './answers.ts';
import { takeApproval } from './approval.ts';
import { backoffLeft, parkedFor } from './backoff.ts';
import { isCancelAsked } from './cancel-asked.ts';
import type { PlanContext, PlanDeps } from './context.ts';
import { cancelStep, deriveLease, handOver } from './hand-over.ts';

/** One step: its answer, if there is one; else it is run here or put on its queue (docs/plan-protocol.md 1). */
export async function takeStep(plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd> {
  const { walk } = plan;
  if (step.problem !== undefined) {
    const answer = await ownAnswer(step, failure('TOOL_UNAVAILABLE', step.problem), deps);
    // Nothing keeps this one back: it would stand in the journal before the answer that led to it.
    return (await walk.kept()) ? keepAnswer(plan, step, answer, deps) : STALE;
  }
  if (step.approval !== undefined) return takeApproval(plan, step, deps);
  const queue = queueName(step.queue ?? 'file', deps.pool);
  const early = walk.isOnItsWay && !walk.cancelAsked && step.waitMs === undefined ? leaseBeside(plan, step, deps) : undefined;
  const { answer, row, job, mayRunHere, isThere, cancelAsked } = await lookAt(plan, step, queue, deps);
  if (!(await walk.kept())) return STALE;
  if (answer !== undefined) {
    await early?.catch(() => undefined);
    if (job === undefined) void deps.local?.leave(queue, step.manifest, answer.executorResult);
    return takeAnswer(plan, step, answer, deps, cancelAsked);
  }
  if (cancelAsked) return isThere ? cancelStep(step, deps) : endBetween(plan, step, deps);
  if (!isThere) {
    const refused = await answerBeforeClaim(step, job, deps);
    if (refused !== undefined) return keepAnswer(plan, step, refused, deps);
    const left = backoffLeft(plan, step, deps.clock);
    if (left > 0) return parkedFor(plan, step, left, deps);
  }
  return handOver(
    plan,
    step,
    { queue, isThere, hasNoJob: isThere && job === undefined, isUnknown: row === undefined && job === undefined && mayRunHere, early },
    deps,
  );
}

/** Between two steps a cancelled plan ends. A step may have ended since its row was read: what a retry does not know of, it takes for its answer. */
async function endBetween(plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd> {
  const answer = await answerOf(step, deps);
  return answer === undefined ? endCancelled(plan, deps) : takeAnswer(plan, step, answer, deps, true);
}

/** The lease of a step that follows at once on another: the kernel signs it while this process writes and looks. */
function leaseBeside(plan: PlanContext, step: PlanStep, { kernel }: PlanDeps): Promise<DerivedLease> {
  const lease = deriveLease(plan, step, kernel);
  // Whoever needs it meets its failure.
  lease.catch(() => undefined);
  return lease;
}

interface StepLook {
  readonly answer: Answer | undefined;
  readonly row: TaskRow | undefined;
  readonly job: JobView | undefined;
  /** Its queue is served here, and hands out every job at once. */
  readonly mayRunHere: boolean;
  /** Its job waits or runs, or it runs without one in a worker that lives. */
  readonly isThere: boolean;
  readonly cancelAsked: boolean;
}

/** What ledger, queue and view say of the step. On a walk that goes on the cancel comes as a message. */
async function lookAt(plan: PlanContext, step: PlanStep, queue: string, deps: PlanDeps): Promise<StepLook> {
  const { walk } = plan;
  const taskId = step.manifest.task_id;
  const [row, job, mayRunHere, asked] = await Promise.all([
    deps.ledger.row(taskId),
    deps.enqueue.jobState(taskId, queue),
    deps.local?.mayRun(queue, taskId) ?? false,
    walk.isOnItsWay ? false : isCancelAsked(plan, deps),
  ]);
  const isThere = isOnItsWay(job) || (job === undefined && row !== undefined && ((await deps.local?.isHeld(taskId, row)) ?? false));
  return { answer: await answerIn(row, step, deps), row, job, mayRunHere, isThere, cancelAsked: asked || walk.cancelAsked };
}

function isOnItsWay(job: JobView | undefined): boolean {
  return job !== undefined && (job.state === 'waiting' || job.state === 'delayed' || job.state === 'active');
}
