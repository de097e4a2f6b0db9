import { PlanJob } from '../../src/contracts/index.ts';
import { isWritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import { stopReason } from '../../src/core/stopped.ts';
import { parseTraceparent } from '../../src/core/trace-context.ts';
import type { Delivery } from '../delivery.ts';
import type { Running } from '../in-flight.ts';
import type { PlanDeliveryEnd } from './delivery-end.ts';
import type { PlanDeps } from './deps.ts';
import { endAt, endWith, MAX_LOSSES, show } from './end.ts';
import type { PlanInHand } from './plan-in-hand.ts';
import { takeStep } from './step.ts';
import type { Walks } from './walks.ts';

/**
 * One delivery of a plan's job (docs/plan-protocol.md 1): walks on until a step has to be waited for, or the plan ends.
 * Never throws: what should not happen is the end `crashed`.
 */
export async function deliverPlan(delivery: Delivery, running: Running, walks: Walks, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const started = deps.clock.monotonic();
  const trail: Trail = {};
  const end = await deliver(delivery, running, walks, deps, trail).catch((error: unknown): PlanDeliveryEnd => ({ kind: 'crashed', error }));
  // What was in memory when something broke may be half a step ahead of the journal.
  if (end.kind !== 'parked' && trail.planSha256 !== undefined) walks.forget(trail.planSha256);
  emit(delivery, trail, end, deps.clock.monotonic() - started, deps);
  return end;
}

/** What the log line tells beside the end. */
interface Trail {
  planSha256?: string;
  traceparent?: string | undefined;
}

function emit({ queue, jobId }: Delivery, { planSha256, traceparent }: Trail, end: PlanDeliveryEnd, ms: number, { report }: PlanDeps): void {
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

async function deliver(delivery: Delivery, running: Running, walks: Walks, deps: PlanDeps, trail: Trail): Promise<PlanDeliveryEnd> {
  const parsed = parse(delivery.data, walks);
  if ('kind' in parsed) return parsed;
  const { job, text, planSha256 } = parsed;
  trail.traceparent = job.traceparent;
  const authentication = await deps.authorities.authenticatePlan(planSha256, job.lease, delivery.queue);
  if (!authentication.ok) return { kind: 'refused', message: authentication.message };
  const lease = job.lease ?? '';
  if (!deps.inFlight.claimTask(running, planSha256)) return { kind: 'busy' };
  trail.planSha256 = planSha256;

  const [record] = await Promise.all([recall({ planSha256, envelope: text, lease }, deps), deps.authorities.refresh()]);
  deps.onPoint?.('begun', planSha256);
  const { exp } = authentication.lease;
  if (record.end) {
    await show(planSha256, { state: record.end, stepsDone: record.entries }, exp, deps);
    return { kind: 'ended', end: record.end, replayed: true };
  }
  const walk = await walks.of(planSha256, job.envelope as JsonObject, record);
  const plan: PlanInHand = { planSha256, envelope: job.envelope as JsonObject, lease, exp, traceparent: job.traceparent, walk };

  const refusal = deps.authorities.authorizePlan(authentication.lease);
  if (refusal) return endWith(plan, { code: refusal.code, message: refusal.message }, deps);
  if (record.losses >= MAX_LOSSES) {
    return endWith(plan, { code: 'RESOURCE_EXHAUSTED', message: `the worker was lost ${record.losses} times at one step of this plan` }, deps);
  }
  return walkOn(plan, delivery, deps);
}

async function walkOn(plan: PlanInHand, delivery: Delivery, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  for (;;) {
    const reason = stopReason(delivery.signal);
    if (reason !== undefined) return { kind: 'interrupted', reason };
    const next = plan.walk.next();
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

function parse(data: unknown, { envelopes }: Walks): { readonly job: PlanJob; readonly text: string; readonly planSha256: string } | PlanDeliveryEnd {
  const shape = PlanJob.safeParse(data);
  if (!shape.success) {
    const [issue] = shape.error.issues;
    return { kind: 'malformed', message: `${issue?.path.join('.') || 'job'}: ${issue?.message ?? 'is no plan job'}` };
  }
  try {
    return { job: shape.data, ...envelopes(shape.data.envelope) };
  } catch (error) {
    if (isWritError(error)) return { kind: 'malformed', message: `envelope: ${error.message}` };
    throw error;
  }
}
