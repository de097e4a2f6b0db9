import type { PlanFilter } from '../../../contracts/index.ts';
import type { Plans } from '../../../core/ports/index.ts';
import { asError, type Retryable } from '../bulk-retry.ts';
import { retryPlan } from './operate.ts';

/** Failed plans, found as `plans.list` finds them, and run on as `retryPlan` does it: each under its own lease. */
export function retryablePlans(plans: Pick<Plans, 'list' | 'retry' | 'view'>): Retryable<PlanFilter> {
  return {
    noun: 'plan',
    async list(filter, page) {
      const found = await plans.list(filter, page);
      return { ids: found.plans.map(({ plan_id }) => plan_id), next: found.next };
    },
    retry: (ids) => Promise.all(ids.map((id) => retryPlan(id, undefined, plans).then(() => undefined, asError))),
  };
}
