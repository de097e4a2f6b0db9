import { isWritError } from '../../../core/errors.ts';
import type { FiringLane, FiringStanding, JobState, Plans, PlanView } from '../../../core/ports/index.ts';

/** What the way of firings that are plans works with. */
export interface FiredPlans extends Pick<Plans, 'push' | 'view'> {
  /** Where a plan's job stands. */
  jobState(planId: string): Promise<JobState>;
}

/** The way of firings that are plans: pushed like any plan, and judged by the end that an executor has signed (docs/plan-protocol.md 11). */
export function planFirings(plans: FiredPlans): Pick<FiringLane, 'pushPlan' | 'planStanding'> {
  return {
    pushPlan: (plan, options) => plans.push(plan, options),
    async planStanding(id) {
      // First: a job ends after its end was shown.
      const job = await plans.jobState(id);
      const view = await viewOf(id, plans);
      if (view === 'unproven') return JOBS[job] === 'open' ? { kind: 'open' } : { kind: 'unproven' };
      if (view?.state === 'success') return { kind: 'ended', code: 'SUCCESS' };
      // A failure that somebody has retried is not the end.
      if (JOBS[job] === 'open') return { kind: 'open' };
      if (view?.state === 'failure') return { kind: 'ended', code: view.error?.code ?? 'EXECUTION_FAILED' };
      return { kind: JOBS[job] };
    },
  };
}

/** What a job says that no end goes with. */
const JOBS = {
  waiting: 'open',
  delayed: 'open',
  active: 'open',
  completed: 'unproven',
  failed: 'unproven',
  absent: 'unknown',
} satisfies Record<JobState, Exclude<FiringStanding['kind'], 'ended'>>;

async function viewOf(id: string, plans: Pick<Plans, 'view'>): Promise<PlanView | 'unproven' | undefined> {
  try {
    return await plans.view(id);
  } catch (error) {
    if (isWritError(error) && error.code === 'INVALID_RESULT') return 'unproven';
    throw error;
  }
}
