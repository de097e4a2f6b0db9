import { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import type { JsonObject } from '../src/core/json.ts';
import { jobOptions, QUEUE_PREFIX, queueName } from './catalog.ts';
import { type FoundJob, findJob } from './job-lookup.ts';

/** The data of a plan's job (contracts/plan-job.schema.json). */
export interface PlanJobData {
  readonly v: 1;
  /** The linked envelope. */
  readonly envelope: JsonObject;
  readonly lease: string;
  readonly traceparent?: string;
}

/** A plan's job id; its hash alone would do, and says less to whoever reads Redis. */
export function planJobId(planId: string): string {
  return `p_${planId}`;
}

/** The jobs of the plan queue of a pool. `close` leaves the connection open. */
export interface PlanJobs {
  readonly queue: string;
  find(planId: string): Promise<FoundJob | undefined>;
  /** Whether each plan has a job, in their order. */
  exists(planIds: readonly string[]): Promise<readonly boolean[]>;
  /** Does nothing when the job exists. */
  add(planId: string, data: PlanJobData): Promise<void>;
  /** Ends the parking of a plan's job; nothing happens to one that is not parked. */
  promote(planId: string): Promise<void>;
  close(): Promise<void>;
}

export function createPlanJobs({ connection, pool }: { readonly connection: Redis; readonly pool: string }): PlanJobs {
  const name = queueName('plan', pool);
  const queue = new Queue<unknown>(name, { connection, prefix: QUEUE_PREFIX, skipWaitingForReady: true, skipVersionCheck: true });
  // Each call reports its own failure; without a listener the event would end the process.
  queue.on('error', () => undefined);
  return {
    queue: name,
    find: (planId) => redisCall(() => findJob(queue, planJobId(planId))),
    exists: (planIds) =>
      redisCall(async () => {
        if (planIds.length === 0) return [];
        const answers = await connection.pipeline(planIds.map((id) => ['exists', queue.toKey(planJobId(id))])).exec();
        return planIds.map((_, at) => answers?.[at]?.[1] === 1);
      }),
    add: (planId, data) => redisCall(async () => void (await queue.add('plan', data, jobOptions(planJobId(planId), 1)))),
    async promote(planId) {
      // Only the id counts here; fetching the job would fetch its whole envelope.
      const job = new Job(queue, 'plan', null, {}, planJobId(planId));
      await redisCall(() => job.promote().catch(ignoreNotParked));
    },
    close: () => queue.close(),
  };
}

/** BullMQ's codes: -1 the job is gone, -3 it is not delayed. */
function ignoreNotParked(error: unknown): void {
  if (error instanceof Error && 'code' in error && (error.code === -1 || error.code === -3)) return;
  throw error;
}
