import { queueName } from '../../queues/catalog.ts';
import { ExecutionResult } from '../../src/contracts/index.ts';
import { isWritError } from '../../src/core/errors.ts';
import { CANCELLED_MESSAGE, failure, type Outcome } from '../../src/core/outcome.ts';
import { type PlanStep, signedCapability } from '../../src/core/plan-step.ts';
import type { DerivedLease, JobView, PlanEntry, PlanKernel, PlanViewChange, ResultReader } from '../../src/core/ports/index.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { CANCELLED, endAt, endWith } from './end.ts';

/** `answered`: the plan has seen the step's answer and may go on. */
export type StepEnd = { readonly kind: 'answered' } | PlanDeliveryEnd;

/** An executor's verified answer, and the capability for which it was signed. */
type Answer = Pick<PlanEntry, 'executorResult' | 'capabilityId'>;

const STALE = { kind: 'interrupted', reason: 'stale' } as const satisfies PlanDeliveryEnd;

const FIRST_PARK_MS = 2_000;
const LONGEST_PARK_MS = 30_000;

/** One step: its answer, if there is one; else its task on a queue, and the plan parked (docs/plan-protocol.md 1). */
export async function takeStep(plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd> {
  if (step.problem !== undefined) return keepAnswer(plan, step, await ownAnswer(step, failure('TOOL_UNAVAILABLE', step.problem), deps), deps);
  const queue = queueName(step.queue ?? 'file', deps.pool);
  const [answer, job, cancelAsked] = await Promise.all([answerOf(step, deps), deps.enqueue.jobState(step.manifest.task_id, queue), isCancelAsked(plan, deps)]);
  if (answer !== undefined) return cancelAsked && neverBegan(answer) ? endCancelled(plan, deps, { step, answer }) : keepAnswer(plan, step, answer, deps);
  if (cancelAsked) return cancel(plan, step, job, deps);
  if (!isOnItsWay(job)) {
    const refused = await answerBeforeClaim(step, job, deps);
    if (refused !== undefined) return keepAnswer(plan, step, refused, deps);
    const { aroundStep = (_step, work) => work() } = deps;
    const stop = await aroundStep(step, () => enqueue(plan, step, queue, deps));
    if (stop) return stop;
  }
  const isAnswered = async (): Promise<boolean> => (await answerOf(step, deps)) !== undefined;
  plan.replay.parks += 1;
  return { kind: 'parked', ms: Math.min(LONGEST_PARK_MS, FIRST_PARK_MS * 2 ** Math.min(10, plan.replay.parks - 1)), isAnswered };
}

/** The journal keeps the answer before the plan sees it. */
async function keepAnswer({ planSha256, replay }: PlanContext, step: PlanStep, answer: Answer, { journal, clock, onPoint }: PlanDeps): Promise<StepEnd> {
  const { path, generation, manifest } = step;
  onPoint?.('seen', planSha256);
  const kept = await journal.append(planSha256, { path, generation, taskId: manifest.task_id, ...answer }, clock.now());
  if (kept === undefined) return STALE;
  replay.take(step, kept);
  onPoint?.('kept', planSha256);
  return { kind: 'answered' };
}

/** The step was cancelled before it began. */
function neverBegan({ executorResult }: Answer): boolean {
  const { error } = ExecutionResult.parse(JSON.parse(executorResult));
  return error?.error_code === 'EXECUTION_FAILED' && error.message === CANCELLED_MESSAGE;
}

/** A step that was cancelled with the plan is what a retry has to take back: its task will never run. */
async function endCancelled(plan: PlanContext, deps: PlanDeps, never?: { readonly step: PlanStep; readonly answer: Answer }): Promise<PlanDeliveryEnd> {
  const done = plan.replay.end(CANCELLED);
  if (never === undefined) return endAt(plan, done, deps);
  const { path, generation, manifest } = never.step;
  const kept = await deps.journal.append(plan.planSha256, { path, generation, taskId: manifest.task_id, ...never.answer }, deps.clock.now());
  if (kept === undefined) return STALE;
  return endAt(plan, { ...done, endedBy: path }, deps);
}

/** The executor's signed answer in the ledger. Redis is not trusted: a text that was not signed for this step is none. */
async function answerOf(step: PlanStep, { ledger, results }: PlanDeps): Promise<Answer | undefined> {
  const row = await ledger.row(step.manifest.task_id);
  // While it runs again its row holds the answer before.
  if (row?.result === undefined || row.state === 'waiting' || row.state === 'running') return undefined;
  return genuineAnswer(step, row.result, { refusal: false, results });
}

/** The answer to a job that was refused before it reached the task's row. */
async function answerBeforeClaim(step: PlanStep, job: JobView | undefined, { ledger, results }: PlanDeps): Promise<Answer | undefined> {
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
  return ExecutionResult.parse(JSON.parse(executorResult)).error?.error_code === 'LEASE_EXPIRED' ? undefined : { executorResult, capabilityId };
}

/** What the worker itself answers to a step: the same signed answer whenever it is asked. */
async function ownAnswer({ manifest, manifestSha256 }: PlanStep, outcome: Outcome, { signer }: PlanDeps): Promise<Answer> {
  return { executorResult: await signer.sign(manifest, manifestSha256, outcome), capabilityId: manifest.capability_id };
}

function isOnItsWay(job: JobView | undefined): boolean {
  return job !== undefined && (job.state === 'waiting' || job.state === 'delayed' || job.state === 'active');
}

export async function isCancelAsked({ planSha256 }: Pick<PlanContext, 'planSha256'>, { views }: PlanDeps): Promise<boolean> {
  return (await views.read(planSha256))?.cancelRequested ?? false;
}

/** Between two steps the plan ends; a step that is under way is asked to stop, and its answer is waited for. */
async function cancel(plan: PlanContext, step: PlanStep, job: JobView | undefined, deps: PlanDeps): Promise<StepEnd> {
  if (!isOnItsWay(job)) return endCancelled(plan, deps);
  await deps.ledger.cancel(step.manifest.task_id, deps.clock.now());
  return { kind: 'parked', ms: FIRST_PARK_MS, isAnswered: async () => (await answerOf(step, deps)) !== undefined };
}

/** Has the kernel sign the step's lease and puts its task on the queue; answers what becomes of the step when it may not. */
async function enqueue(plan: PlanContext, step: PlanStep, queue: string, deps: PlanDeps): Promise<StepEnd | undefined> {
  try {
    const [{ manifest, lease }] = await Promise.all([
      deriveLease(plan, step, deps.kernel),
      deps.views.show(plan.planSha256, viewOf(step, plan.replay.stepsDone), plan.exp, deps.clock.now()),
    ]);
    deps.onPoint?.('derived', plan.planSha256);
    // A retry since then has given the step another task: this one must not run as well.
    if ((await deps.journal.record(plan.planSha256))?.generation !== plan.generation) return STALE;
    const traceparent = plan.traceparent === undefined ? {} : { traceparent: plan.traceparent };
    const receipt = await deps.enqueue.push({ v: 1, manifest, lease, ...traceparent }, { queue });
    deps.onPoint?.('enqueued', plan.planSha256);
    return receipt.kind === 'conflict' ? await keepAnswer(plan, step, await takenAnswer(step, deps), deps) : undefined;
  } catch (error) {
    if (isWritError(error) && error.code === 'TASK_ID_CONFLICT') return keepAnswer(plan, step, await takenAnswer(step, deps), deps);
    if (isWritError(error) && FINAL.has(error.code)) return endWith(plan, { code: error.code, message: error.message }, deps);
    throw error;
  }
}

/**
 * The step's task id is taken by another manifest: its tool was bound in another way when the step was put on a queue, where nobody has
 * answered it so far. A retry of the plan runs the step in its next generation, under another id.
 */
function takenAnswer(step: PlanStep, deps: PlanDeps): Promise<Answer> {
  return ownAnswer(step, failure('TOOL_OUTCOME_UNKNOWN', 'the step was put on a queue with another manifest; nobody can tell whether it runs there'), deps);
}

/** The plan as everybody may look at it while the step runs. */
function viewOf({ path, tool, operation, manifest }: PlanStep, stepsDone: number): PlanViewChange {
  return { state: 'running', stepsDone, current: { path, tool, operation, taskId: manifest.task_id }, error: undefined, result: undefined };
}

/** What the kernel will say again, however often it is asked. */
const FINAL: ReadonlySet<string> = new Set(['LEASE_REFUSED', 'LEASE_EXPIRED', 'INVALID_LEASE', 'INVALID_MANIFEST', 'INVALID_RESULT', 'HRC_REQUIRED']);

/** A lease for the step, showing the kernel only what it has not seen; all of it when it has forgotten. */
async function deriveLease(plan: PlanContext, step: PlanStep, kernel: PlanKernel): Promise<DerivedLease> {
  const { shown } = plan.replay;
  if (shown === 0) return ask(plan, step, 0, kernel);
  try {
    return await ask(plan, step, shown, kernel);
  } catch (error) {
    if (isWritError(error) && error.code === 'WRONG_STATE') return ask(plan, step, 0, kernel);
    throw error;
  }
}

async function ask({ planSha256, envelope, lease, replay }: PlanContext, { path }: PlanStep, since: number, kernel: PlanKernel): Promise<DerivedLease> {
  const answers = replay.answers(since);
  replay.shown = 0;
  const derived = await kernel.derive({ planSha256, lease, ...(since === 0 ? { envelope } : {}), since, answers, voided: replay.voided(path) });
  replay.shown = since + answers.length;
  return derived;
}
