import { isWritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { PlanDone, PlanEnd } from '../../src/core/ports/index.ts';
import type { PlanDeliveryEnd } from './delivery-end.ts';
import type { PlanDeps } from './deps.ts';
import type { PlanInHand } from './plan-in-hand.ts';

/** The fifth loss of a worker at one step ends a plan that takes its worker down with it. */
export const MAX_LOSSES = 5;

/** Ends the plan where it stands, with an error that is not its steps' (cancel, authority). */
export function endWith(plan: PlanInHand, error: { readonly code: string; readonly message: string }, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  return endAt(plan, plan.walk.end(error), deps);
}

/** Signs the end, writes it to the journal, and shows it. */
export async function endAt(plan: PlanInHand, done: PlanDone, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const { planSha256, walk, exp } = plan;
  const { envelope, error, endedBy } = await signable(planSha256, done, deps);
  const result = await deps.endSigner.signEnd(planSha256, envelope);
  deps.onPoint?.('signed', planSha256);
  const status = error === null ? 'SUCCESS' : 'FAILURE';
  const end = await deps.journal.end(planSha256, { status, code: error?.code, message: error?.message ?? '', endedBy, result }, deps.clock.now());
  deps.onPoint?.('ended', planSha256);
  await show(planSha256, { state: end, stepsDone: walk.stepsDone }, exp, deps);
  return { kind: 'ended', end, replayed: false };
}

/** An end that is too deep or too large to be signed is replaced by one that says so. */
async function signable(planSha256: string, done: PlanDone, { endSigner }: PlanDeps): Promise<PlanDone> {
  try {
    await endSigner.signEnd(planSha256, done.envelope);
    return done;
  } catch (error) {
    if (!isWritError(error)) throw error;
    const says = { code: 'RESOURCE_EXHAUSTED', message: `the plan's end cannot be signed: ${error.message}` };
    const header: JsonObject[string] = done.envelope['header'] ?? {};
    const output: JsonObject = { results: [], memory: { session_id: planSha256, state: {}, stack: [] } };
    return { kind: 'done', envelope: { header, output, error: { ...says, details: null } }, error: says, endedBy: undefined };
  }
}

export interface Shown {
  /** How the plan ended, or the step that it is at. */
  readonly state: PlanEnd | PlanStep;
  readonly stepsDone: number;
}

/** Shows where the plan stands. */
export function show(planSha256: string, { state, stepsDone }: Shown, exp: number, { views, clock }: PlanDeps): Promise<void> {
  return views.show(planSha256, { stepsDone, ...('status' in state ? shownEnd(state) : shownStep(state)) }, exp, clock.now());
}

function shownEnd({ status, code, message, result }: PlanEnd) {
  const state = status === 'SUCCESS' ? ('success' as const) : ('failure' as const);
  return { state, current: undefined, error: code === undefined ? undefined : { code, message }, result };
}

function shownStep({ path, tool, operation, manifest }: PlanStep) {
  return { state: 'running' as const, current: { path, tool, operation, taskId: manifest.task_id }, error: undefined, result: undefined };
}
