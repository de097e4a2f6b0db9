import { retryPlan } from '../../shared/plans/operate.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import type { Call } from '../command.ts';
import { type FollowFlags, followPlan } from '../plan/follow-plan.ts';
import { parseSeconds } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';

export type PlanRetryFlags = FollowFlags;

/** `writ plan retry`: the failed plan runs on; what its steps have done stands. */
export async function runPlanRetry(call: Call, flags: PlanRetryFlags, word: string): Promise<number> {
  const id = planIdOf(word);
  parseSeconds(flags.timeout, '--timeout');
  const plans = await (await call.services()).plans();
  const before = await plans.view(id);
  await auditedCall(call, { action: 'plan.retry', subject: id }, () => retryPlan(id, undefined, plans));
  if (flags.wait === true) return followPlan(call, id, plans, flags, before);
  await call.output.answer({ plan_id: id, retried: true }, () => `plan ${id} runs on`);
  return 0;
}
