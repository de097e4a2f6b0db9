import { audited } from '../../../core/audited.ts';
import type { Clock } from '../../../core/clock.ts';
import type { JsonObject } from '../../../core/json.ts';
import { PLAN_NOTICE, planSubject } from '../../../core/notice-subject.ts';
import type { AuditLog, KernelClient, PlanGateway, PlanPushOptions, PlanReceipt, PlanView, Webhooks } from '../../../core/ports/index.ts';
import { leaseTermsOf } from '../tasks/lease-terms.ts';
import { assertMaySign, type Submitter } from '../tasks/submit.ts';
import { assertPlanLease } from './lease-check.ts';
import { viewBefore } from './view-before.ts';

export interface PlanSubmitServices {
  readonly plans: Pick<PlanGateway, 'plans' | 'preview' | 'signatures'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  kernel(): Promise<KernelClient>;
  /** Absent where nobody is told of the ends of plans by who pushed them. */
  readonly webhooks?: Pick<Webhooks, 'want' | 'ended'>;
}

export interface PlanSubmission {
  /** Of either form, linked or not. */
  readonly envelope: unknown;
  readonly lease: string | undefined;
  /** Have the kernel issue a lease for a plan that has none. */
  readonly sign: boolean;
  readonly traceparent: string | undefined;
  /** When it begins, and before which others. */
  readonly push?: Pick<PlanPushOptions, 'notBefore' | 'priority'>;
  /** The endpoint that is told of the plan's end beside those of the submitter's key. */
  readonly webhook?: string | undefined;
}

export interface SubmittedPlan {
  readonly id: string;
  readonly receipt: PlanReceipt;
  /** How it stood before: that end is not the one to wait for. */
  readonly before: PlanView | undefined;
}

/**
 * Links an envelope, judges its lease and queues the plan.
 *
 * @throws WritError INVALID_MANIFEST, INVALID_LEASE, LEASE_EXPIRED; FORBIDDEN without the role to sign, or for an endpoint that is for other
 *   keys; NOT_FOUND for one that there is not; the kernel's refusals; REDIS_FULL, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function submitPlan(wish: PlanSubmission, by: Submitter, services: PlanSubmitServices): Promise<SubmittedPlan> {
  const { plans, preview } = services.plans;
  const { envelope, planSha256: id } = preview.link(wish.envelope);
  const { push = {} } = wish;
  const given = wish.lease ?? (wish.sign ? await leaseOf(envelope, id, push, by, services) : undefined);
  const lease = await assertPlanLease(given, id, services.plans, services.clock, push.notBefore);
  const before = await viewBefore(id, plans);
  // Noted before the push: a plan that ends at once is told, too.
  await services.webhooks?.want([{ subject: planSubject(id), manifestSha256: id }], by.name, wish.webhook);
  const receipt = await plans.push({ envelope, lease, ...(wish.traceparent === undefined ? {} : { traceparent: wish.traceparent }) }, push);
  if (receipt.kind === 'finished') await services.webhooks?.ended([{ taskId: planSubject(id), capabilityId: PLAN_NOTICE }]);
  return { id, receipt, before };
}

async function leaseOf(
  envelope: JsonObject,
  id: string,
  push: NonNullable<PlanSubmission['push']>,
  by: Submitter,
  { audit, kernel }: PlanSubmitServices,
): Promise<string> {
  assertMaySign(true, by);
  const entry = { surface: by.surface, who: by.name, action: 'lease.issue', subject: id };
  return (await audited(audit, entry, async () => (await kernel()).issuePlan(envelope, leaseTermsOf(push)))).lease;
}
