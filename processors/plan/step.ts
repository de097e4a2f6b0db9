import { queueName } from '../../queues/catalog.ts';
import { ExecutionResult } from '../../src/contracts/index.ts';
import { isWritError } from '../../src/core/errors.ts';
import { CANCELLED_MESSAGE, failure } from '../../src/core/outcome.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { DerivedLease, JobView, PlanKernel, PlanViewChange, ResultClaim, ResultReader } from '../../src/core/ports/index.ts';
import type { PlanContext, PlanDeps } from './context.ts';
import { endAt, endWith } from './end.ts';
import type { PlanDeliveryEnd } from './settle-plan.ts';

/** `answered`: the plan has seen the step's answer and may go on. */
export type StepEnd = { readonly kind: 'answered' } | PlanDeliveryEnd;

const FIRST_PARK_MS = 2_000;
const LONGEST_PARK_MS = 30_000;

/** One step: its answer, if there is one; else its task on a queue, and the plan parked (docs/plan-protocol.md 1). */
export async function takeStep(plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd> {
  if (step.problem !== undefined) return keepAnswer(plan, step, await unavailableAnswer(step, step.problem, deps), deps);
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
async function keepAnswer(
  { planSha256, replay }: PlanContext,
  step: PlanStep,
  executorResult: string,
  { journal, clock, onPoint }: PlanDeps,
): Promise<StepEnd> {
  const { path, generation, manifest } = step;
  onPoint?.('seen', planSha256);
  replay.take(step, await journal.append(planSha256, { path, generation, taskId: manifest.task_id, executorResult }, clock.now()));
  onPoint?.('kept', planSha256);
  return { kind: 'answered' };
}

/** The step was cancelled before it began. */
function neverBegan(answer: string): boolean {
  const { error } = ExecutionResult.parse(JSON.parse(answer));
  return error?.error_code === 'EXECUTION_FAILED' && error.message === CANCELLED_MESSAGE;
}

/** A step that was cancelled with the plan is what a retry has to take back: its task will never run. */
async function endCancelled(plan: PlanContext, deps: PlanDeps, never?: { readonly step: PlanStep; readonly answer: string }): Promise<PlanDeliveryEnd> {
  const done = plan.replay.end({ code: 'CANCELLED', message: 'the plan was cancelled' });
  if (never === undefined) return endAt(plan, done, deps);
  const { path, generation, manifest } = never.step;
  await deps.journal.append(plan.planSha256, { path, generation, taskId: manifest.task_id, executorResult: never.answer }, deps.clock.now());
  return endAt(plan, { ...done, endedBy: path }, deps);
}

/** The executor's signed answer in the ledger. Redis is not trusted: a text that was not signed for this step is none. */
async function answerOf(step: PlanStep, { ledger, results }: PlanDeps): Promise<string | undefined> {
  const row = await ledger.row(step.manifest.task_id);
  // While it runs again its row holds the answer before.
  if (row?.result === undefined || row.state === 'waiting' || row.state === 'running') return undefined;
  return genuineAnswer(row.result, claimOf(step), results);
}

/** The answer to a job that was refused before it reached the task's row. */
async function answerBeforeClaim(step: PlanStep, job: JobView | undefined, { ledger, results }: PlanDeps): Promise<string | undefined> {
  if (job?.state !== 'failed') return undefined;
  const result = await ledger.refusal(step.manifest.task_id, `${job.queue}:${job.jobId}`);
  return result === undefined ? undefined : genuineAnswer(result, { ...claimOf(step), refusal: true }, results);
}

function claimOf({ manifest, manifestSha256 }: PlanStep): ResultClaim {
  return { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256s: [manifestSha256] };
}

/** A step whose own lease ran out in the queue gets another while the plan's lease lives: the plan does not see it. */
async function genuineAnswer(result: string, claim: ResultClaim, results: ResultReader): Promise<string | undefined> {
  const genuine = await results.read(result, claim);
  return genuine === undefined || genuine.outcome.error?.error_code === 'LEASE_EXPIRED' ? undefined : result;
}

/** A step that cannot be a task: the same signed answer whenever it is asked. */
function unavailableAnswer({ manifest, manifestSha256 }: PlanStep, problem: string, { signer }: PlanDeps): Promise<string> {
  return signer.sign(manifest, manifestSha256, failure('TOOL_UNAVAILABLE', problem));
}

function isOnItsWay(job: JobView | undefined): boolean {
  return job !== undefined && (job.state === 'waiting' || job.state === 'delayed' || job.state === 'active');
}

async function isCancelAsked({ planSha256 }: PlanContext, { views }: PlanDeps): Promise<boolean> {
  return (await views.read(planSha256))?.cancelRequested ?? false;
}

/** Between two steps the plan ends; a step that is under way is asked to stop, and its answer is waited for. */
async function cancel(plan: PlanContext, step: PlanStep, job: JobView | undefined, deps: PlanDeps): Promise<StepEnd> {
  if (!isOnItsWay(job)) return endCancelled(plan, deps);
  await deps.ledger.cancel(step.manifest.task_id, deps.clock.now());
  return { kind: 'parked', ms: FIRST_PARK_MS, isAnswered: async () => (await answerOf(step, deps)) !== undefined };
}

/** Has the kernel sign the step's lease and puts its task on the queue; answers how the plan ends when it may not. */
async function enqueue(plan: PlanContext, step: PlanStep, queue: string, deps: PlanDeps): Promise<PlanDeliveryEnd | undefined> {
  try {
    const [{ manifest, lease }] = await Promise.all([
      deriveLease(plan, step, deps.kernel),
      deps.views.show(plan.planSha256, viewOf(step, plan.replay.stepsDone), plan.exp, deps.clock.now()),
    ]);
    deps.onPoint?.('derived', plan.planSha256);
    const traceparent = plan.traceparent === undefined ? {} : { traceparent: plan.traceparent };
    const receipt = await deps.enqueue.push({ v: 1, manifest, lease, ...traceparent }, { queue });
    deps.onPoint?.('enqueued', plan.planSha256);
    if (receipt.kind !== 'conflict') return undefined;
    return await endWith(plan, { code: 'REPLAY_MISMATCH', message: `the task of ${step.path} was run with another manifest` }, deps);
  } catch (error) {
    if (isWritError(error) && FINAL.has(error.code)) return endWith(plan, { code: error.code, message: error.message }, deps);
    throw error;
  }
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
