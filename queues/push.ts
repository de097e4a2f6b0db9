import type { Queue } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { Replicated } from '../src/adapters/redis/replicated.ts';
import type { TaskJob } from '../src/contracts/index.ts';
import type { Clock } from '../src/core/clock.ts';
import { WritError } from '../src/core/errors.ts';
import type { Ledger, MemoryGuard, Receipt, ResultReader, TaskRow } from '../src/core/ports/index.ts';
import { WHEN } from '../src/core/when.ts';
import type { AddJobs } from './add-jobs.ts';
import type { openQueue } from './open-queue.ts';
import type { QueueShards } from './shards.ts';

export interface EnqueueDeps {
  /** Shared with BullMQ's queues; the owner closes it. */
  readonly connection: RedisConnection;
  /** Opens BullMQ's queues; the simulation gives ones that live in memory. */
  readonly open?: typeof openQueue;
  readonly ledger: Ledger;
  /** What a row says counts only when this reads it: a forged row neither answers a push nor stands in its way. */
  readonly results: ResultReader;
  readonly clock: Clock;
  /** The pool that a push goes to unless it names a queue. */
  readonly pool: string;
  /** Of the tools that are bound on this host: their queues are looked into as well. */
  readonly providers?: readonly string[];
  readonly shards?: QueueShards;
  /** Waits for replicas before a push is acknowledged. */
  readonly replicated?: Replicated | undefined;
  /** Refuses new work when Redis is nearly full. */
  readonly guard?: MemoryGuard;
  /** Single pushes of one turn of the event loop are one question and one command: for a process whom many ask at a time. */
  readonly together?: boolean;
}

/** A queue in one shard. */
export interface ShardQueue {
  readonly prefix: string;
  readonly queueName: string;
}

/** One push on its way. */
export interface Push extends ShardQueue {
  readonly taskId: string;
  readonly jobId: string;
  readonly name: string;
  readonly data: TaskJob;
  /** `data` as JSON. */
  readonly text: string;
  readonly sha: string;
  readonly attempts: number;
  readonly when: When;
}

/** When a job may be taken. `delay`: milliseconds from `timestamp` on, which is milliseconds since 1970. */
export interface When {
  readonly delay?: number;
  readonly timestamp?: number;
  readonly priority?: number;
}

/**
 * When a push may run, as BullMQ is told.
 *
 * @param notBefore milliseconds since 1970; the past is now
 * @throws WritError INVALID_ARGUMENT
 */
export function whenOf(notBefore = 0, priority = 0, now: number): When {
  if (!Number.isInteger(priority) || priority < 0 || priority > WHEN.priority) {
    throw new WritError('INVALID_ARGUMENT', `must be a whole number from 0 to ${WHEN.priority}`, { field: 'priority' });
  }
  if (!(notBefore - now <= WHEN.aheadMs)) throw new WritError('INVALID_ARGUMENT', 'lies more than 366 days ahead', { field: 'not_before' });
  const delay = Math.max(0, Math.ceil(notBefore - now));
  return { ...(delay > 0 ? { delay, timestamp: now } : {}), ...(priority > 0 ? { priority } : {}) };
}

/** BullMQ adds these with scripts of their own. */
export function isTimed({ delay = 0, priority = 0 }: When): boolean {
  return delay > 0 || priority > 0;
}

/** What a push works with. */
export interface PushContext extends EnqueueDeps {
  readonly queue: (at: ShardQueue) => Queue<unknown>;
  readonly addJobs: AddJobs;
}

/** What the ledger proves: finished with SUCCESS, used by another manifest, or neither. */
export type RowClass = 'finished' | 'other' | 'open';

/** By the signed result in the row, whatever its other fields say. What proves nothing is the worker's to judge. */
export async function classOfRow(row: TaskRow | undefined, { taskId, sha, name }: Push, results: ResultReader): Promise<RowClass> {
  if (!row?.result) return 'open';
  const genuine = await results.read(row.result, { taskId, manifestSha256s: [sha, row.manifestSha256], likely: name });
  if (genuine === undefined) return 'open';
  if (genuine.manifestSha256 !== sha) return 'other';
  return genuine.outcome.status === 'SUCCESS' ? 'finished' : 'open';
}

export function receiptOf(kind: 'accepted' | 'in-flight' | 'retried', { taskId, queueName, jobId }: Push): Receipt {
  return { kind, taskId, queue: queueName, jobId };
}
