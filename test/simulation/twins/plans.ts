import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { jobIdOf } from '../../../queues/job-id.ts';
import type { FoundJob } from '../../../queues/job-lookup.ts';
import type { LeftJobs } from '../../../queues/left-jobs.ts';
import type { ParkedJobs } from '../../../queues/parked-jobs.ts';
import type { PlanJobs, PlanJobWhen } from '../../../queues/plan-jobs.ts';
import { rerunJob } from '../../../queues/push-table.ts';
import { placeOfJob } from '../../../queues/shards.ts';
import { wishOf } from '../../../queues/wish.ts';
import { localShare } from '../plan-weather.ts';
import type { SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import { PLAN_QUEUE } from './kernel.ts';
import { QueueRefusal, type QueueTwin } from './queue.ts';
import type { RedisTwin } from './redis.ts';

/** The jobs of the plan queue, as `queues/plan-jobs.ts` has them on BullMQ. */
export function planJobsFor(world: World, process: SimProcess, redis: RedisTwin): PlanJobs {
  const queue = redis.queueFor(process, PLAN_QUEUE);
  const twin = redis.queue(PLAN_QUEUE);
  const idOf = (planId: string): string => `p_${planId}`;
  const ask = <T>(what: string, effect: () => T): Promise<T> => world.call(process, { to: 'redis', what: `plan-jobs.${what}`, effect });
  const find = async (planId: string): Promise<FoundJob | undefined> => {
    const job = await queue.getJob(idOf(planId));
    if (job === undefined) return undefined;
    const state = await job.getState();
    return { job, state: state === 'unknown' ? 'absent' : (state as FoundJob['state']), unreadable: false };
  };
  const add = (planId: string, data: unknown, { askedAt = process.clock.now() }: PlanJobWhen = {}): Promise<void> =>
    ask('add', () => void twin.add('plan', data, { jobId: idOf(planId) }, askedAt));
  const wish = (planId: string, addedAt: number, ends: number, failures: number): string =>
    wishOf({ prefix: QUEUE_PREFIX, queue: PLAN_QUEUE, jobId: idOf(planId), addedAt, ends, failures });
  return {
    queue: PLAN_QUEUE,
    find,
    exists: (planIds) => ask('exists', () => planIds.map((id) => twin.jobs.has(idOf(id)))),
    failed: (planIds) => ask('failed', () => planIds.map((id) => twin.jobs.get(idOf(id))?.state === 'failed')),
    parked: () => ask('parked', () => twin.inOrder('delayed').length),
    open: () => ask('open', () => [...twin.jobs.keys()].map((id) => id.slice(2))),
    add,
    async run(planId, data, mayRun) {
      for (;;) {
        const found = await find(planId);
        const now = process.clock.now();
        if (found === undefined) {
          if (await mayRun(wish(planId, now, 0, 0))) await add(planId, data, { askedAt: now });
          return;
        }
        if (found.state !== 'completed' && found.state !== 'failed') return;
        const { timestamp, attemptsMade, stacktrace } = found.job;
        if (!(await mayRun(wish(planId, timestamp, attemptsMade, stacktrace?.length ?? 0))) || (await rerunJob(found, data, 'kept'))) return;
      }
    },
    promote: (planId) => ask(`promote ${planId.slice(0, 8)}`, () => void promoted(twin, idOf(planId))),
    close: async () => undefined,
  };
}

/** Ends the delay of parked jobs, as `queues/parked-jobs.ts` does on BullMQ. */
export function parkedJobsFor(world: World, process: SimProcess, redis: RedisTwin): ParkedJobs['promote'] {
  return async (jobKeys) => {
    const ends = await Promise.all(
      jobKeys.map((key) => {
        const { queue, jobId } = placeOfJob(key);
        return world.call(process, { to: 'redis', what: `parked-jobs.promote ${key}`, effect: () => promoted(redis.queue(queue), jobId) });
      }),
    );
    return ends.filter(Boolean).length;
  };
}

/** The jobs of tasks that ran without one, as `queues/left-jobs.ts` leaves them. */
export function leftJobsFor(world: World, process: SimProcess, redis: RedisTwin): LeftJobs {
  const share = localShare(world.scenario);
  return {
    takesAll: ({ queue }) => world.call(process, { to: 'redis', what: `left-jobs.takesAll ${queue}`, effect: () => share === 1 || world.random.chance(share) }),
    async leave({ queue, job, told, endedAt }) {
      const id = jobIdOf(job.manifest.task_id);
      const effect = (): void => redis.queue(queue).leave(id, job.manifest.capability_id, job, told, endedAt);
      await world.call(process, { to: 'redis', what: `left-jobs.leave ${id}`, effect }).catch(() => undefined);
    },
  };
}

/** False for a job that is not delayed. */
function promoted(queue: QueueTwin, jobId: string): boolean {
  try {
    queue.promote(jobId);
    return true;
  } catch (error) {
    if (!(error instanceof QueueRefusal)) throw error;
    return false;
  }
}
