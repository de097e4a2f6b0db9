import type { FoundJob } from '../../../queues/job-lookup.ts';
import type { PlanJobs } from '../../../queues/plan-jobs.ts';
import type { PlanView, PlanViewChange, PlanViews } from '../../../src/core/ports/index.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import { PLAN_QUEUE } from './kernel.ts';
import { QueueRefusal } from './queue.ts';
import type { RedisTwin } from './redis.ts';

/** Plan views as Redis keeps them. */
export class PlanViewsTwin {
  rows = new Map<string, PlanView>();

  save(): () => void {
    const saved = [...this.rows];
    return () => {
      this.rows = new Map(saved);
    };
  }

  /** The port without a network. */
  port(): PlanViews {
    const change = (id: string, to: Partial<PlanView>): void => {
      const row = this.rows.get(id);
      if (row !== undefined) this.rows.set(id, { ...row, ...to });
    };
    return {
      read: async (id) => this.rows.get(id),
      show: async (id, { state, stepsDone, current, error, result }: PlanViewChange, _exp, now) => {
        const cancelRequested = this.rows.get(id)?.cancelRequested ?? false;
        this.rows.set(id, { id, state, stepsDone, current, error, result, cancelRequested, updated: now });
      },
      requestCancel: async (id, now) => {
        change(id, { cancelRequested: true, updated: now });
        return this.rows.has(id);
      },
      clearCancel: async (id) => change(id, { cancelRequested: false }),
      onChange: async () => async () => undefined,
    };
  }
}

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
