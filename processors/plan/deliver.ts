import { standInReason } from '../../queues/job-bounds.ts';
import { PlanJob } from '../../src/contracts/index.ts';
import { isWritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import { stopReason } from '../../src/core/stopped.ts';
import { parseTraceparent } from '../../src/core/trace-context.ts';
import type { Delivery } from '../delivery.ts';
import type { Running } from '../in-flight.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { endAt, endWith, MAX_LOSSES, showEnd } from './end.ts';
import type { ParkedPlans } from './replay.ts';
import { takeStep } from './step.ts';

/**
 * One delivery of a plan's job (docs/plan-protocol.md 1): goes on until a step has to be waited for, or the plan ends.
 * Never throws: what should not happen is the end `crashed`.
 */
export async function deliverPlan(delivery: Delivery, running: Running, parked: ParkedPlans, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const started = deps.clock.monotonic();
  const seen: SeenPlan = {};
  const end = await deliver(delivery, running, parked, deps, seen).catch((error: unknown): PlanDeliveryEnd => ({ kind: 'crashed', error }));
  // What was in memory when something broke may be half a step ahead of the journal.
  if (end.kind !== 'parked' && seen.planSha256 !== undefined) parked.forget(seen.planSha256);
  emit(delivery, seen, end, deps.clock.monotonic() - started, deps);
  return end;
}

/** What the log line tells beside the end. */
interface SeenPlan {
  planSha256?: string;
  traceparent?: string | undefined;
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
  if (!deps.inFlight.claimTask(running, planSha256)) return { kind: 'busy' };
  seen.planSha256 = planSha256;

  const [record] = await Promise.all([recall({ planSha256, envelope: text, lease }, deps), deps.authorities.refresh()]);
  deps.onPoint?.('begun', planSha256);
  const { exp } = authentication.lease;
  if (record.end) {
    await showEnd(planSha256, record.end, record.entries, exp, deps);
    return { kind: 'ended', end: record.end, replayed: true };
  }
  const replay = await parked.replayOf(planSha256, job.envelope as JsonObject, record);
  const plan: PlanContext = { planSha256, envelope: job.envelope as JsonObject, lease, exp, traceparent: job.traceparent, replay };

  const refusal = deps.authorities.authorizePlan(authentication.lease);
  if (refusal) return endWith(plan, { code: refusal.code, message: refusal.message }, deps);
  if (record.losses >= MAX_LOSSES) {
    return endWith(plan, { code: 'RESOURCE_EXHAUSTED', message: `the worker was lost ${record.losses} times at one step of this plan` }, deps);
  }
  return advance(plan, delivery, deps);
}

async function advance(plan: PlanContext, delivery: Delivery, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  for (;;) {
    const reason = stopReason(delivery.signal);
    if (reason !== undefined) return { kind: 'interrupted', reason };
    const next = plan.replay.next();
    if ('kind' in next) return endAt(plan, next, deps);
    const taken = await takeStep(plan, next, deps);
    if (taken.kind !== 'answered') return taken;
  }
}

/** The journal's word. A plan that has ended with an error, and whose end the queue knows, was sent again: it runs on. */
async function recall(plan: { planSha256: string; envelope: string; lease: string }, { journal, clock }: PlanDeps): Promise<PlanRecord> {
  const record = await journal.begin(plan, clock.now());
  const isRetry = record.end?.status === 'FAILURE' && record.settled;
  return isRetry ? journal.resume(plan.planSha256, plan.lease, clock.now()) : record;
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
