import { ExecutionResult, NO_ANSWER_OF_A_STEP } from '../../src/contracts/index.ts';
import { isCancelled, type Outcome } from '../../src/core/outcome.ts';
import { type PlanStep, signedCapability } from '../../src/core/plan-step.ts';
import type { JobView, PlanEntry, ResultReader, TaskRow } from '../../src/core/ports/index.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { CANCELLED, endAt } from './end.ts';

/** `answered`: the plan has seen the step's answer and may go on. */
export type StepEnd = { readonly kind: 'answered' } | PlanDeliveryEnd;

/** An executor's verified answer, and the capability for which it was signed. */
export type Answer = Pick<PlanEntry, 'executorResult' | 'capabilityId'>;

export const STALE = { kind: 'interrupted', reason: 'stale' } as const satisfies PlanDeliveryEnd;

/** The journal keeps the answer before the plan sees it. */
export async function keepAnswer(plan: PlanContext, step: PlanStep, answer: Answer, deps: PlanDeps): Promise<StepEnd> {
  deps.onPoint?.('seen', plan.planSha256);
  const kept = await append(plan, step, answer, deps);
  if (kept === undefined) return STALE;
  plan.replay.take(step, kept);
  deps.onPoint?.('kept', plan.planSha256);
  plan.walk.keeps(Promise.resolve(true));
  return { kind: 'answered' };
}

/**
 * The plan sees the answer of a local step while the journal writes it: nothing is done with what follows from it before `walk.kept`.
 *
 * @param left the step's job was left behind
 */
export function keepBeside(plan: PlanContext, step: PlanStep, answer: Answer, left: Promise<void>, deps: PlanDeps): StepEnd {
  const { planSha256, replay, walk } = plan;
  deps.onPoint?.('seen', planSha256);
  const writing = Promise.all([append(plan, step, answer, deps), left]).then(([kept]) => {
    deps.onPoint?.('kept', planSha256);
    return kept?.executorResult === answer.executorResult;
  });
  walk.keeps(writing);
  replay.take(step, { path: step.path, generation: step.generation, taskId: step.manifest.task_id, at: deps.clock.now(), ...answer });
  return { kind: 'answered' };
}

function append({ planSha256 }: PlanContext, { path, generation, manifest }: PlanStep, answer: Answer, { journal, clock }: PlanDeps) {
  return journal.append(planSha256, { path, generation, taskId: manifest.task_id, ...answer }, clock.now());
}

/** The step was cancelled before it began. */
export function neverBegan({ executorResult }: Answer): boolean {
  const { error } = ExecutionResult.parse(JSON.parse(executorResult));
  return error !== null && isCancelled(error);
}

/** The plan takes what the ledger says of its step. One that was cancelled with the plan, before it began, ends it. */
export function takeAnswer(plan: PlanContext, step: PlanStep, answer: Answer, deps: PlanDeps, cancelAsked: boolean): Promise<StepEnd> {
  return cancelAsked && neverBegan(answer) ? endCancelled(plan, deps, { step, answer }) : keepAnswer(plan, step, answer, deps);
}

/** A step that was cancelled with the plan is what a retry has to take back: its task will never run. */
export async function endCancelled(plan: PlanContext, deps: PlanDeps, never?: { readonly step: PlanStep; readonly answer: Answer }): Promise<PlanDeliveryEnd> {
  const done = plan.replay.end(CANCELLED);
  if (never === undefined) return endAt(plan, done, deps);
  if ((await append(plan, never.step, never.answer, deps)) === undefined) return STALE;
  return endAt(plan, { ...done, endedBy: never.step.path }, deps);
}

/** The executor's signed answer in the ledger. */
export async function answerOf(step: PlanStep, deps: Pick<PlanDeps, 'ledger' | 'results'>): Promise<Answer | undefined> {
  return answerIn(await deps.ledger.row(step.manifest.task_id), step, deps);
}

/** Redis is not trusted: a text that was not signed for this step is none. */
export async function answerIn(row: TaskRow | undefined, step: PlanStep, { results }: Pick<PlanDeps, 'results'>): Promise<Answer | undefined> {
  // While it runs again its row holds the answer before.
  if (row?.result === undefined || row.state === 'waiting' || row.state === 'running') return undefined;
  return genuineAnswer(step, row.result, { refusal: false, results });
}

/** The answer to a job that was refused before it reached the task's row. */
export async function answerBeforeClaim(step: PlanStep, job: JobView | undefined, { ledger, results }: PlanDeps): Promise<Answer | undefined> {
  if (job?.state !== 'failed') return undefined;
  const result = await ledger.refusal(step.manifest.task_id, job.key ?? `${job.queue}:${job.jobId}`);
  return result === undefined ? undefined : genuineAnswer(step, result, { refusal: true, results });
}

interface Reading {
  /** The text stood under the key of a refused job. */
  readonly refusal: boolean;
  readonly results: ResultReader;
}

/** A step whose own lease ran out in the queue gets another while the plan's lease lives: the plan does not see it. */
async function genuineAnswer(step: PlanStep, executorResult: string, { refusal, results }: Reading): Promise<Answer | undefined> {
  const capabilityId = await signedCapability(step, executorResult, async (text, { manifest, manifestSha256 }) => {
    const claim = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256s: [manifestSha256], refusal };
    return (await results.read(text, claim)) !== undefined;
  });
  if (capabilityId === undefined) return undefined;
  return ExecutionResult.parse(JSON.parse(executorResult)).error?.error_code === NO_ANSWER_OF_A_STEP ? undefined : { executorResult, capabilityId };
}

/** What the worker itself answers to a step: the same signed answer whenever it is asked. */
export async function ownAnswer({ manifest, manifestSha256 }: PlanStep, outcome: Outcome, { signer }: PlanDeps): Promise<Answer> {
  return { executorResult: await signer.sign(manifest, manifestSha256, outcome), capabilityId: manifest.capability_id };
}
