import type { FoundJob } from '../../../queues/job-lookup.ts';
import type { PlanJobs } from '../../../queues/plan-jobs.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import { PLAN_QUEUE } from './kernel.ts';
import { QueueRefusal } from './queue.ts';
import type { RedisTwin } from './redis.ts';

/** The jobs of the plan queue, as `queues/plan-jobs.ts` has them on BullMQ. */
export function planJobsFor(world: World, process: SimProcess, redis: RedisTwin): PlanJobs {
  const queue = redis.queueFor(process, PLAN_QUEUE);
  const twin = redis.queue(PLAN_QUEUE);
  const idOf = (planId: string): string => `p_${planId}`;
  const ask = <T>(what: string, effect: () => T): Promise<T> => world.call(process, { to: 'redis', what: `plan-jobs.${what}`, effect });
  return {
    queue: PLAN_QUEUE,
    async find(planId) {
      const job = await queue.getJob(idOf(planId));
      if (job === undefined) return undefined;
      const state = await job.getState();
      return { job, state: state === 'unknown' ? 'absent' : (state as FoundJob['state']), unreadable: false };
    },
    exists: (planIds) => ask('exists', () => planIds.map((id) => twin.jobs.has(idOf(id)))),
    add: (planId, data) => ask('add', () => void twin.add('plan', data, { jobId: idOf(planId) }, process.clock.now())),
    promote: (planId) =>
      ask(`promote ${planId.slice(0, 8)}`, () => {
        try {
          twin.promote(idOf(planId));
        } catch (error) {
          if (!(error instanceof QueueRefusal)) throw error;
        }
      }),
    close: async () => undefined,
  };
}
