import type { PlanJobData } from '../../queues/plan-jobs.ts';
import type { PlanEnd, PlanGeneration, WishedPlan } from '../../src/core/ports/index.ts';
import type { Delivery } from '../delivery.ts';
import { hasWaited, park } from '../parking.ts';
import type { PlanDeliveryEnd, PlanDeps } from './context.ts';
import { endTrimmed } from './end.ts';

/**
 * A plan's job under an id of its producer's own. The plan runs in the one job that is named after it, which is woken,
 * retried, cancelled and shown; this one has it put on the queue, waits for its end, and ends in the same way
 * (docs/plan-protocol.md 1).
 */
export async function followPlan(plan: WishedPlan, exp: number, data: PlanJobData, delivery: Delivery, deps: PlanDeps): Promise<PlanDeliveryEnd> {
  const { planSha256 } = plan;
  const { journal, jobs, views, clock } = deps;
  const waited = await hasWaited(planSha256, delivery, deps);
  const before = await journal.record(planSha256);
  if (before?.end) {
    if (waited || before.end.status === 'SUCCESS' || (await journal.served(planSha256, plan.wish))) return endedAs(before, before.end);
    // The same plan was sent again after it had failed, as a retry is: it runs on under this job's lease.
    await views.clearCancel(planSha256);
  }
  const record = await journal.begin({ ...plan, keepsLease: true }, clock.now());
  if ('endedAt' in record) return endTrimmed(record, data.envelope, exp, deps);
  if (record.end) return endedAs(record, record.end);
  await jobs.run(planSha256, data, (wish) => journal.note(planSha256, wish));
  const ms = await park(planSha256, delivery, deps);
  return { kind: 'parked', ms, isAnswered: async () => (await journal.record(planSha256))?.end !== undefined };
}

function endedAs({ planSha256, generation }: PlanGeneration, end: PlanEnd): PlanDeliveryEnd {
  return { kind: 'ended', plan: { planSha256, generation }, end, replayed: true };
}
