import type { PlanJobData } from '../../queues/plan-jobs.ts';
import type { Delivery } from '../delivery.ts';
import { hasWaited, park } from '../parking.ts';
import type { PlanContext, PlanDeliveryEnd, PlanDeps } from './context.ts';
import { endTrimmed } from './end.ts';

/**
 * A plan's job under an id of its producer's own. The plan runs in the one job that is named after it, which is woken,
 * retried, cancelled and shown; this one has it put on the queue, waits for its end, and ends in the same way
 * (docs/plan-protocol.md 1).
 */
export async function followPlan(
  { planSha256, exp }: Pick<PlanContext, 'planSha256' | 'exp'>,
  data: PlanJobData,
  delivery: Delivery,
  deps: PlanDeps,
): Promise<PlanDeliveryEnd> {
  const { journal, jobs, views, clock } = deps;
  const waited = await hasWaited(planSha256, delivery, deps);
  const line = await journal.trimmed(planSha256);
  if (line) return endTrimmed(line, data.envelope, exp, deps);
  const record = await journal.record(planSha256);
  if (record?.end && (waited || record.end.status === 'SUCCESS' || !record.settled)) return { kind: 'ended', plan: record, end: record.end, replayed: true };
  if (record?.end) {
    // The same plan was sent again after it had failed, as a retry is: it runs on under this job's lease.
    await views.clearCancel(planSha256);
    const resumed = await journal.resume(record, data.lease, clock.now());
    if ('endedAt' in resumed) return endTrimmed(resumed, data.envelope, exp, deps);
  }
  await jobs.run(planSha256, data);
  const ms = await park(planSha256, delivery, deps);
  return { kind: 'parked', ms, isAnswered: async () => (await journal.record(planSha256))?.end !== undefined };
}
