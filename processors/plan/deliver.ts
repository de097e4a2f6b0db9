import { standInReason } from '../../queues/job-bounds.ts';
import { type PlanJobData, planJobId } from '../../queues/plan-jobs.ts';
import { PlanJob, type PlanLeasePayload } from '../../src/contracts/index.ts';
import { isWritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { stopReason } from '../../src/core/stopped.ts';
import { parseTraceparent } from '../../src/core/trace-context.ts';
import type { LeaseRefusal } from '../../src/lease/index.ts';
import { type Delivery, wishOfDelivery } from '../delivery.ts';
import type { Running } from '../in-flight.ts';
import { wakeParked } from '../parking.ts';
import { describeFault, MAX_SAME_FAULTS } from '../repeated-faults.ts';
import { STALE } from './answers.ts';
import { isCancelAsked } from './cancel-asked.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { CANCELLED, endAt, endTrimmed, endWith, MAX_LOSSES, showEnd } from './end.ts';
import { followPlan } from './follow.ts';
import type { ParkedPlans } from './replay.ts';
import { takeStep } from './step.ts';
import { createWalk, type Walk } from './walk.ts';

/**
 * One delivery of a plan's job (docs/plan-protocol.md 1): goes on until a step has to be waited for, or the plan ends.
 * Never throws: what should not happen is the end `crashed`.
 */
export async function deliverPlan(delivery: Delivery, running: Running, parked: ParkedPlans, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const started = deps.clock.monotonic();
  const seen: SeenPlan = {};
  const end = await deliver(delivery, running, parked, deps, seen).catch((error: unknown) => crashed(error, delivery, seen, deps));
  await seen.walk?.end();
  if (end.kind === 'parked' || end.kind === 'ended') deps.faults.forget(faultId(delivery, seen));
  // What was in memory when something broke may be half a step ahead of the journal.
  if (end.kind !== 'parked' && seen.runs && seen.planSha256 !== undefined) parked.forget(seen.planSha256);
  emit(delivery, seen, end, deps.clock.monotonic() - started, deps);
  if (end.kind === 'ended' && seen.runs && seen.planSha256 !== undefined) await wakeParked(seen.planSha256, deps);
  return end;
}

/** How far a delivery came, for its log line and for the end of a plan that only crashes. */
interface SeenPlan {
  planSha256?: string;
  /** The plan runs in this very job. */
  runs?: boolean;
  traceparent?: string | undefined;
  plan?: Omit<PlanContext, 'replay' | 'walk' | 'refusal'> & { readonly replay?: PlanContext['replay'] };
  walk?: Walk;
}

function faultId({ queue, jobId }: Delivery, { planSha256, runs }: SeenPlan): string {
  return (runs ? planSha256 : undefined) ?? `${queue}:${jobId}`;
}

/**
 * A fault that comes back unchanged ends the plan, and so does any fault of a plan that somebody has cancelled; an outage is waited for.
 * Once ended it runs on when it is retried, from the step at which it stands.
 */
async function crashed(error: unknown, delivery: Delivery, seen: SeenPlan, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  await seen.walk?.end();
  const { inRow, same } = deps.faults.note(faultId(delivery, seen), error);
  const again: PlanDeliveryEnd = { kind: 'crashed', error, inRow };
  const { plan } = seen;
  if (plan === undefined || same === 0) return again;
  const says =
    same >= MAX_SAME_FAULTS
      ? { code: 'EXECUTION_FAILED', message: `the same fault came back ${same} times (${describeFault(error)})` }
      : (await isCancelAsked(plan, deps).catch(() => false)) && CANCELLED;
  if (!says) return again;
  try {
    // A replay that cannot be made has no results to tell.
    const replay = plan.replay ?? { end: deps.startPlan(plan.envelope).end, stepsDone: 0 };
    return await endAt({ ...plan, replay }, replay.end(says), deps);
  } catch {
    return again;
  }
}

function emit({ queue, jobId }: Delivery, { planSha256, traceparent }: SeenPlan, end: PlanDeliveryEnd, ms: number, { report }: PlanDeps): void {
  const trace = parseTraceparent(traceparent);
  const told = end.kind === 'ended' ? end.end : undefined;
  report({
    queue,
    jobId,
    planSha256,
    end: told === undefined ? (end.kind as Exclude<PlanDeliveryEnd['kind'], 'ended'>) : told.status === 'SUCCESS' ? 'success' : 'failure',
    code: told?.code,
    message: told?.message ?? ('message' in end ? end.message : undefined),
    ms,
    traceId: trace?.traceId,
    badTrace: traceparent !== undefined && trace === undefined,
    replayed: end.kind === 'ended' && end.replayed,
    ...(end.kind === 'crashed' ? { error: end.error } : {}),
  });
}

async function deliver(delivery: Delivery, running: Running, parked: ParkedPlans, deps: PlanDeps, seen: SeenPlan): Promise<PlanDeliveryEnd> {
  const parsed = parse(delivery.data, parked);
  if ('kind' in parsed) return parsed;
  const { job, text, planSha256 } = parsed;
  seen.traceparent = job.traceparent;
  const authentication = await deps.authorities.authenticatePlan(planSha256, job.lease, delivery.queue);
  if (!authentication.ok) return { kind: 'refused', message: authentication.message };
  const lease = job.lease ?? '';
  seen.planSha256 = planSha256;
  const { exp } = authentication.lease;
  const early = await earlyBy(authentication.lease, deps);
  const isOwn = delivery.jobId === planJobId(planSha256);
  const isCancelled = (): Promise<boolean> => (isOwn ? isCancelAsked({ planSha256 }, deps) : Promise.resolve(false));
  // The lease says when, and not the queue: nothing is written before (docs/plan-protocol.md 11).
  if (early > 0 && !(await isCancelled())) return { kind: 'parked', ms: early, isAnswered: isCancelled };
  const wished = { planSha256, envelope: text, lease, wish: wishOfDelivery(delivery) };
  if (!isOwn) return followPlan(wished, exp, planJobOf(job, lease), delivery, deps);
  if (!deps.inFlight.claimTask(running, planSha256)) return { kind: 'busy' };
  seen.runs = true;

  const [record] = await Promise.all([deps.journal.begin(wished, deps.clock.now()), deps.authorities.refresh()]);
  deps.onPoint?.('begun', planSha256);
  if ('endedAt' in record) return endTrimmed(record, job.envelope as JsonObject, exp, deps);
  const found = { planSha256, generation: record.generation, envelope: job.envelope as JsonObject, lease, exp, traceparent: job.traceparent };
  if (record.end) {
    await showEnd(found, record.end, record.entries, deps);
    return { kind: 'ended', plan: found, end: record.end, replayed: true };
  }
  seen.plan = found;
  const walk = createWalk({
    delivery,
    write: (change) => deps.views.show(planSha256, { ...change, generation: found.generation }, exp, deps.clock.now()),
    monotonic: deps.clock.monotonic,
  });
  seen.walk = walk;
  const refusalNow = (): LeaseRefusal | undefined => deps.authorities.authorizePlan(authentication.lease);
  const plan: PlanContext = { ...found, replay: await parked.replayOf(planSha256, found.envelope, record), walk, refusal: refusalNow };
  seen.plan = plan;

  if (early > 0) return endWith(plan, CANCELLED, deps);
  const refusal = plan.refusal();
  if (refusal) return endWith(plan, { code: refusal.code, message: refusal.message }, deps);
  if (record.losses >= MAX_LOSSES) {
    return endWith(plan, { code: 'RESOURCE_EXHAUSTED', message: `the worker was lost ${record.losses} times at one step of this plan` }, deps);
  }
  return advance(plan, delivery, deps);
}

/** Milliseconds until the lease counts. A clock of this host that is behind puts nothing off (D212): such a lease is refused. */
async function earlyBy(lease: PlanLeasePayload, { authorities, redisTime }: PlanDeps): Promise<number> {
  const early = authorities.earlyBy(lease);
  return early > 0 ? Math.min(early, Math.max(0, lease.iat * 1000 - (await redisTime()))) : 0;
}

/** A walk gives its slot back after this time, to the end of the line, milliseconds. */
const TURN_MS = 2_000;

async function advance(plan: PlanContext, { signal }: Delivery, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const { walk, replay } = plan;
  const until = deps.clock.monotonic() + TURN_MS;
  for (let steps = 0; ; steps += 1) {
    const reason = steps > 0 && deps.residents?.stopping ? 'shutdown' : stopReason(signal);
    // A cancel is looked at where the next step begins.
    if (reason !== undefined && reason !== 'cancelled') return { kind: 'interrupted', reason };
    if (steps > 0 && deps.clock.monotonic() >= until) return giveTurn(plan);
    const refusal = steps > 0 ? plan.refusal() : undefined;
    const next = replay.next();
    if (refusal !== undefined || 'kind' in next) {
      if (!(await walk.kept())) return STALE;
      return 'kind' in next ? endAt(plan, next, deps) : endWith(plan, { code: refusal?.code ?? '', message: refusal?.message ?? '' }, deps);
    }
    const taken = await takeStep(plan, next, deps);
    if (taken.kind !== 'answered') return taken;
  }
}

async function giveTurn({ walk }: PlanContext): Promise<PlanDeliveryEnd> {
  if (!(await walk.kept())) return STALE;
  await walk.shown();
  return { kind: 'parked', ms: 0, isAnswered: async () => false };
}

function planJobOf({ envelope, traceparent }: PlanJob, lease: string): PlanJobData {
  return { v: 1, envelope: envelope as JsonObject, lease, ...(traceparent === undefined ? {} : { traceparent }) };
}

function parse(data: unknown, { hash }: ParkedPlans): { readonly job: PlanJob; readonly text: string; readonly planSha256: string } | PlanDeliveryEnd {
  const shape = PlanJob.safeParse(data);
  if (!shape.success) {
    const replaced = standInReason(data);
    if (replaced !== undefined) return { kind: 'malformed', message: `job: ${replaced}` };
    const [issue] = shape.error.issues;
    return { kind: 'malformed', message: `${issue?.path.join('.') || 'job'}: ${issue?.message ?? 'is no plan job'}` };
  }
  try {
    return { job: shape.data, ...hash(shape.data.envelope) };
  } catch (error) {
    if (isWritError(error)) return { kind: 'malformed', message: `envelope: ${error.message}` };
    throw error;
  }
}
