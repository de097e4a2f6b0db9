import { NO_ANSWER_OF_A_STEP, type TaskJob } from '../../src/contracts/index.ts';
import { isWritError, type WritError } from '../../src/core/errors.ts';
import { failure } from '../../src/core/outcome.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { DerivedLease, DeriveRequest, PlanKernel } from '../../src/core/ports/index.ts';
import type { LocalEnd } from '../local-steps.ts';
import { type Answer, answerOf, endCancelled, keepAnswer, keepBeside, neverBegan, ownAnswer, STALE, type StepEnd, takeAnswer } from './answers.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { endWith } from './end.ts';
import type { WalkView } from './walk.ts';

const FIRST_PARK_MS = 2_000;
const LONGEST_PARK_MS = 30_000;
/** Where many plans are parked, the step of one comes back by itself after so long for each of them, milliseconds. */
const MS_PER_PARKED = 500;
const LONGEST_OF_MANY_MS = 600_000;

/** A step that has no answer, and what is known of it. */
export interface OpenStep {
  /** With its pool. */
  readonly queue: string;
  /** Its job waits or runs, or it runs without one in a worker that lives. */
  readonly isThere: boolean;
  /** It runs without a job: should its worker die, nobody but the plan runs it again. */
  readonly hasNoJob: boolean;
  /** Nobody has ever had it, and this worker may run it. */
  readonly isUnknown: boolean;
  /** The lease that was asked for already. */
  readonly early: Promise<DerivedLease> | undefined;
}

/** Runs the step here, or puts it on its queue and waits for it: in its slot for a while, then parked (docs/plan-protocol.md 1). */
export async function handOver(plan: PlanContext, step: PlanStep, open: OpenStep, deps: PlanDeps): Promise<StepEnd> {
  if (!open.isThere) {
    const { aroundStep = (_step, work) => work() } = deps;
    const end = await aroundStep(step, () => begin(plan, step, open, deps));
    if (end !== undefined) return end;
  }
  return waitFor(plan, step, open, deps);
}

/** Has the kernel sign the step's lease, then runs it or pushes its task; `undefined`: it is on its queue. */
async function begin(plan: PlanContext, step: PlanStep, open: OpenStep, deps: PlanDeps): Promise<StepEnd | undefined> {
  const { planSha256, replay, walk, traceparent } = plan;
  try {
    const [{ manifest, lease }] = await Promise.all([open.early ?? deriveLease(plan, step, deps.kernel), walk.show(viewOf(step, replay.stepsDone))]);
    deps.onPoint?.('derived', planSha256);
    // A retry since then has given the step another task: this one must not run as well.
    if ((await deps.journal.generation(planSha256)) !== plan.generation) return STALE;
    const job = { v: 1 as const, manifest, lease, ...(traceparent === undefined ? {} : { traceparent }) };
    const ran = await runHere(job, open, plan, step, deps);
    if (ran !== undefined) return ran;
    const receipt = await deps.enqueue.push(job, { queue: open.queue });
    deps.onPoint?.('enqueued', planSha256);
    return receipt.kind === 'conflict' ? await keepAnswer(plan, step, await takenAnswer(step, deps), deps) : undefined;
  } catch (error) {
    if (isWritError(error) && error.code === 'TASK_ID_CONFLICT') return keepAnswer(plan, step, await takenAnswer(step, deps), deps);
    if (isFinal(error)) return endWith(plan, { code: error.code, message: error.message }, deps);
    throw error;
  }
}

/** Runs the step's job in this process, and waits for its end a while; `undefined`: no slot of its queue is free. */
async function runHere(job: TaskJob, open: OpenStep, plan: PlanContext, step: PlanStep, deps: PlanDeps): Promise<StepEnd | undefined> {
  const { local, residents, onPoint } = deps;
  const run = open.isUnknown && residents !== undefined ? local?.take(open.queue, job.manifest.task_id) : undefined;
  if (residents === undefined || run === undefined) return undefined;
  onPoint?.('enqueued', plan.planSha256);
  const { ended, detach } = run(job, plan.walk.holder);
  const end = await residents.within(ended);
  if (end !== undefined) return endOf(plan, step, end, deps);
  // Its end is looked for in the ledger.
  ended.catch(() => undefined);
  await detach();
  return parked(plan, step, deps);
}

/** What becomes of a plan whose step has run here. */
async function endOf(plan: PlanContext, step: PlanStep, { end, left }: LocalEnd, deps: PlanDeps): Promise<StepEnd> {
  const answerOfEnd = (executorResult: string): Answer => ({ executorResult, capabilityId: step.manifest.capability_id });
  switch (end.kind) {
    case 'answered':
      // A step whose own lease ran out gets another while the plan's lease lives: the plan does not see it.
      if (end.code === NO_ANSWER_OF_A_STEP) return parked(plan, step, deps);
      if (plan.walk.cancelAsked && neverBegan(answerOfEnd(end.result))) return endCancelled(plan, deps, { step, answer: answerOfEnd(end.result) });
      return keepBeside(plan, step, answerOfEnd(end.result), left, deps);
    case 'refused':
      return keepAnswer(plan, step, answerOfEnd(end.result), deps);
    case 'interrupted':
      return { kind: 'interrupted', reason: end.reason };
    case 'malformed':
      throw new Error(`the step's own job was refused: ${end.message}`);
    default:
      // Somebody else has the task, or it crashed: when the plan comes back, the step goes to its queue.
      return parked(plan, step, deps);
  }
}

/** The step runs elsewhere. A plan that comes back by itself, and not because the step has ended, does not wait in its slot once more. */
async function waitFor(plan: PlanContext, step: PlanStep, { hasNoJob }: OpenStep, deps: PlanDeps): Promise<StepEnd> {
  const { walk, replay } = plan;
  const isAnswered = async (): Promise<boolean> => (await answerOf(step, deps)) !== undefined;
  const mayBeHeard = replay.parks === 0 && deps.residents !== undefined;
  const heard = mayBeHeard && (await deps.residents.hear(step.manifest.task_id, isAnswered, walk.holder.signal));
  const answer = heard ? await answerOf(step, deps) : undefined;
  if (answer !== undefined) return takeAnswer(plan, step, answer, deps, walk.cancelAsked);
  if (!walk.cancelAsked) return parked(plan, step, deps, hasNoJob ? undefined : 'among-many');
  return cancelStep(step, deps);
}

/** A step that is under way on its queue is asked to stop, and waited for. */
export async function cancelStep(step: PlanStep, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  await deps.ledger.cancel(step.manifest.task_id, deps.clock.now());
  return { kind: 'parked', ms: FIRST_PARK_MS, isAnswered: async () => (await answerOf(step, deps)) !== undefined };
}

async function parked(plan: PlanContext, step: PlanStep, deps: PlanDeps, among?: 'among-many'): Promise<PlanDeliveryEnd> {
  const { replay, walk } = plan;
  await walk.shown();
  replay.parks += 1;
  const own = Math.min(LONGEST_PARK_MS, FIRST_PARK_MS * 2 ** Math.min(10, replay.parks - 1));
  const ms = own < LONGEST_PARK_MS || among === undefined ? own : await amongMany(plan, deps);
  return { kind: 'parked', ms, isAnswered: async () => (await answerOf(step, deps)) !== undefined };
}

/** Two plans that wait for long come back in a second, however many they are; each at its own time, and before its lease ends. */
export async function amongMany({ planSha256, exp }: PlanContext, { jobs, clock }: PlanDeps): Promise<number> {
  const all = Math.min(LONGEST_OF_MANY_MS, (await jobs.parked()) * MS_PER_PARKED);
  const own = 0.5 + Number.parseInt(planSha256.slice(0, 8), 16) / 2 ** 33;
  return Math.max(LONGEST_PARK_MS, Math.min(Math.floor(all * own), exp * 1000 - clock.now()));
}

/**
 * The step's task id is taken by another manifest: its tool was bound in another way when the step was put on a queue, where nobody has
 * answered it so far. A retry of the plan runs the step in its next generation, under another id.
 */
export function takenAnswer(step: PlanStep, deps: PlanDeps): Promise<Answer> {
  return ownAnswer(step, failure('TOOL_OUTCOME_UNKNOWN', 'the step was put on a queue with another manifest; nobody can tell whether it runs there'), deps);
}

/** The plan as everybody may look at it while the step runs. */
function viewOf({ path, tool, operation, manifest }: PlanStep, stepsDone: number): WalkView {
  return { state: 'running', stepsDone, current: { path, tool, operation, taskId: manifest.task_id }, error: undefined, result: undefined };
}

/** What the kernel will say again, however often it is asked. */
const FINAL: ReadonlySet<string> = new Set(['LEASE_REFUSED', 'LEASE_EXPIRED', 'INVALID_LEASE', 'INVALID_MANIFEST', 'INVALID_RESULT', 'HRC_REQUIRED']);

/** What it says beside these of a plan that it remembers in another way, or not at all. */
const MEMORY: ReadonlySet<string> = new Set(['WRONG_STATE', 'TASK_ID_CONFLICT']);

export function isFinal(error: unknown): error is WritError {
  return isWritError(error) && FINAL.has(error.code);
}

/** A lease for the step, showing the kernel only what it has not seen; all of it when it has forgotten. */
export function deriveLease(plan: PlanContext, step: PlanStep, kernel: PlanKernel): Promise<DerivedLease> {
  return askKernel(plan, step, kernel.derive);
}

/** One question about the step that the plan has reached. */
export async function askKernel<T>(plan: PlanContext, step: PlanStep, question: (request: DeriveRequest) => Promise<T>): Promise<T> {
  const { shown } = plan.replay;
  if (shown === 0) return ask(plan, step, 0, question);
  try {
    return await ask(plan, step, shown, question);
  } catch (error) {
    // It has forgotten the plan, or somebody else who follows it has shown another answer since, from which another step follows that it
    // may refuse for any reason: what this one has seen counts.
    if (isWritError(error) && (MEMORY.has(error.code) || isFinal(error))) return ask(plan, step, 0, question);
    throw error;
  }
}

async function ask<T>(
  { planSha256, envelope, lease, replay }: PlanContext,
  { path, manifest, manifestSha256 }: PlanStep,
  since: number,
  question: (request: DeriveRequest) => Promise<T>,
): Promise<T> {
  const answers = replay.answers(since);
  replay.shown = 0;
  const answer = await question({
    planSha256,
    lease,
    ...(since === 0 ? { envelope } : {}),
    since,
    answers,
    voided: replay.voided(path),
    known: { manifest, manifestSha256 },
  });
  replay.shown = since + answers.length;
  return answer;
}
