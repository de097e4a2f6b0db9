import { cancelPlan } from '../../shared/plans/operate.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';

/** `writ plan cancel`: the plan ends before its next step. */
export async function runPlanCancel(call: Call, _flags: Record<never, never>, word: string): Promise<number> {
  const id = planIdOf(word);
  const plans = await (await call.services()).plans();
  await auditedCall(call, { action: 'plan.cancel', subject: id }, () => cancelPlan(id, plans));
  await call.output.answer({ plan_id: id, cancel: 'requested' }, () => `a cancel of plan ${id} is requested: it ends before its next step`);
  return 0;
}
