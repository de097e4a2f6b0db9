import { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from '../queue-worker.ts';
import type { PlanDeps } from './context.ts';
import { deliverPlan } from './deliver.ts';
import { createParkedPlans } from './parked-plans.ts';
import { settlePlan } from './settle-plan.ts';

/** `p_<plan_sha256>`, as `queues/plan-jobs.ts` makes it; another producer may choose another id. */
const JOB_ID = /^p_([0-9a-f]{64})$/;

/** Serves the plan queue until stopped. A plan that waits for a step holds no slot: its job is parked. */
export function createPlanWorker(options: QueueWorkerOptions, deps: PlanDeps): QueueWorker {
  const parked = createParkedPlans(deps);
  const { around = (_delivery, work) => work() } = deps;
  const tell = (jobId: string, what: (planSha256: string) => Promise<unknown>): void => {
    const planSha256 = JOB_ID.exec(jobId)?.[1];
    if (planSha256 !== undefined) void what(planSha256).catch(options.onError);
  };
  return createQueueWorker(
    {
      ...options,
      onStalled(jobId) {
        options.onStalled?.(jobId);
        tell(jobId, deps.journal.lose);
      },
      onFailed: (jobId) => tell(jobId, deps.journal.settle),
    },
    {
      clock: deps.clock,
      inFlight: deps.inFlight,
      async handle(delivery, running, tries) {
        const end = await around(delivery, () => deliverPlan(delivery, running, parked, deps));
        const action = settlePlan(end, tries);
        if (end.kind !== 'parked') return { action };
        // An answer that came before the job was parked has woken nobody.
        const afterDelay = async (): Promise<void> => {
          const planSha256 = JOB_ID.exec(delivery.jobId)?.[1];
          if (planSha256 !== undefined && (await end.isAnswered())) await deps.jobs.promote(planSha256);
        };
        return { action, afterDelay };
      },
    },
  );
}
