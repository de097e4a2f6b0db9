import type { PlanFilter } from '../../../contracts/index.ts';
import type { Plans } from '../../../core/ports/index.ts';
import { asError, type Retryable } from '../bulk-retry.ts';
import type { RetryTerms } from '../tasks/retry.ts';
import { type PlanRetryServices, retryPlans } from './retry.ts';

/** Failed plans, found as `plans.list` finds them, and run on as `retryPlan` does it. */
export function retryablePlans(plans: Pick<Plans, 'list'>, terms: RetryTerms, services: PlanRetryServices): Retryable<PlanFilter> {
  return {
    noun: 'plan',
    async list(filter, page) {
      const found = await plans.list(filter, page);
      return { ids: found.plans.map(({ plan_id }) => plan_id), next: found.next };
    },
    async retry(ids) {
      const ends = await retryPlans(ids, terms, services);
      return ends.map((end) => (end.kind === 'refused' ? asError(end.error) : undefined));
    },
  };
}
