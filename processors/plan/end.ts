import { isWritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanDone, PlanEnd, TrimmedPlan } from '../../src/core/ports/index.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';

/** The fifth loss of a worker at one step ends a plan that takes its worker down with it. */
export const MAX_LOSSES = 5;

export const CANCELLED = { code: 'CANCELLED', message: 'the plan was cancelled' } as const;

/** Ends the plan where it stands, with an error that is not its steps' (cancel, authority). */
export function endWith(plan: PlanContext, error: { readonly code: string; readonly message: string }, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  return endAt(plan, plan.replay.end(error), deps);
}

/** What the end of a plan needs to know of it. */
type EndingPlan = Pick<PlanContext, 'planSha256' | 'generation' | 'exp'> & {
  readonly replay: Pick<PlanContext['replay'], 'stepsDone'>;
  readonly walk?: Pick<PlanContext['walk'], 'end'>;
};

/** Signs the end, writes it to the journal, and shows it. */
export async function endAt(plan: EndingPlan, done: PlanDone, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const { planSha256, generation, replay, exp } = plan;
  const { error, endedBy, result } = await signed(planSha256, done, deps);
  deps.onPoint?.('signed', planSha256);
  const status = error === null ? 'SUCCESS' : 'FAILURE';
  const decided: PlanEnd = { status, code: error?.code, message: error?.message ?? '', endedBy, result };
  const end = await deps.journal.end({ planSha256, generation }, decided, deps.clock.now());
  if (end === undefined) return { kind: 'interrupted', reason: 'stale' };
  deps.onPoint?.('ended', planSha256);
  // A view that was kept back, or is on its way, would be written over the end.
  await plan.walk?.end();
  await showEnd({ planSha256, generation, exp }, end, replay.stepsDone, deps);
  return { kind: 'ended', plan: { planSha256, generation }, end, replayed: false };
}

type SignedEnd = Pick<PlanDone, 'error' | 'endedBy'> & Pick<PlanEnd, 'result'>;

/** An end that is too deep or too large to be signed is replaced by one that says so. */
async function signed(planSha256: string, { envelope, error, endedBy }: PlanDone, { endSigner }: PlanDeps): Promise<SignedEnd> {
  try {
    return { error, endedBy, result: await endSigner.signEnd(planSha256, envelope) };
  } catch (refused) {
    if (!isWritError(refused)) throw refused;
    const says = { code: 'RESOURCE_EXHAUSTED', message: `the plan's end cannot be signed: ${refused.message}` };
    const header: JsonObject[string] = envelope['header'] ?? {};
    const output: JsonObject = { results: [], memory: { session_id: planSha256, state: {}, stack: [] } };
    const result = await endSigner.signEnd(planSha256, { header, output, error: { ...says, details: null } });
    return { error: says, endedBy: undefined, result };
  }
}

/** The end of a plan that was run too long ago: told to whoever asks, and written nowhere (docs/plan-protocol.md 7). */
export async function endTrimmed({ planSha256, status, endedAt }: TrimmedPlan, envelope: JsonObject, exp: number, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const how = status === 'SUCCESS' ? 'was done' : 'was run, and failed,';
  const message = `this plan ${how} on ${new Date(endedAt).toISOString()}; what it has done is no longer kept, and it is not run again`;
  const run = deps.startPlan(envelope);
  const { error, result } = await signed(planSha256, run.end({ code: 'EXECUTION_FAILED', message }), deps);
  const end: PlanEnd = { status: 'FAILURE', code: error?.code, message: error?.message ?? '', endedBy: undefined, result };
  await showEnd({ planSha256, generation: 0, exp }, end, 0, deps);
  return { kind: 'ended', plan: { planSha256, generation: 0 }, end, replayed: true };
}

/** Shows everybody how the plan ended. */
export async function showEnd(
  { planSha256, generation, exp }: Pick<PlanContext, 'planSha256' | 'generation' | 'exp'>,
  { status, code, message, result }: PlanEnd,
  stepsDone: number,
  { views, clock }: PlanDeps,
): Promise<void> {
  const error = code === undefined ? undefined : { code, message };
  const state = status === 'SUCCESS' ? 'success' : 'failure';
  await views.show(planSha256, { generation, state, stepsDone, current: undefined, error, result }, exp, clock.now());
}
