import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { withScripts } from '../src/adapters/redis/scripts.ts';
import type { TaskJob } from '../src/contracts/index.ts';
import { jobOptions, RETENTION } from './catalog.ts';
import { jobIdOf } from './job-id.ts';

/** A queue in one shard. */
interface QueuePlace {
  readonly queue: string;
  readonly prefix: string;
}

/** A task that has ended without a job, and what its queue would have been told. */
export interface LeftJob extends QueuePlace {
  readonly job: TaskJob;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly told: { readonly kind: 'complete'; readonly value: object } | { readonly kind: 'fail'; readonly message: string };
}

/** The jobs that tasks would have had which ran without one: they lie where the board, the index and a search for a task look. */
export interface LeftJobs {
  /** Whether the queue hands out every job at once: it is not paused, and has no bound or rate of its own. Throws WritError REDIS_UNAVAILABLE. */
  takesAll(place: QueuePlace): Promise<boolean>;
  /** Leaves an ended job, unless one of that id is on its way. Never rejects: it is there for looking only. */
  leave(left: LeftJob): Promise<void>;
}

/** The fields of a queue's `meta` that hold its jobs back: `pause`, `setGlobalConcurrency` and `setGlobalRateLimit` of BullMQ write them. */
const HOLDS_BACK = ['paused', 'concurrency', 'max'] as const;

export function createLeftJobs(connection: RedisConnection): LeftJobs {
  const scripted = withScripts(connection);
  return {
    takesAll: ({ queue, prefix }) => redisCall(async () => (await connection.hmget(`${prefix}:${queue}:meta`, ...HOLDS_BACK)).every((value) => value === null)),
    async leave({ queue, prefix, job, begunAt, endedAt, told }) {
      const key = (name: string): string => `${prefix}:${queue}:${name}`;
      const id = jobIdOf(job.manifest.task_id);
      const hasSucceeded = told.kind === 'complete';
      const [state, other] = hasSucceeded ? (['completed', 'failed'] as const) : (['failed', 'completed'] as const);
      const keepFrom = endedAt - RETENTION[hasSucceeded ? 'removeOnComplete' : 'removeOnFail'].age * 1000;
      const keep = hasSucceeded ? RETENTION.removeOnComplete.count : Number.MAX_SAFE_INTEGER;
      const fields = {
        name: job.manifest.capability_id,
        data: JSON.stringify(job),
        opts: JSON.stringify(jobOptions(id, 1)),
        timestamp: begunAt,
        delay: 0,
        priority: 0,
        processedOn: begunAt,
        finishedOn: endedAt,
        ats: 1,
        atm: 1,
        ...(told.kind === 'complete' ? { returnvalue: JSON.stringify(told.value) } : { failedReason: told.message, stacktrace: '[]' }),
      };
      const says = told.kind === 'complete' ? (['returnvalue', JSON.stringify(told.value)] as const) : (['failedReason', told.message] as const);
      const all = Object.entries(fields).flat();
      await scripted
        .writLeaveJob(key(id), key(state), key(other), key('events'), id, state, endedAt, keep, keepFrom, says[0], says[1], ...all)
        .catch(() => undefined);
    },
  };
}
