import { Job, type Queue } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { rerunJob } from './push-table.ts';

/**
 * Runs a failed job again that the caller has just looked at: a look whether it still is one of those that failed, and BullMQ's
 * retry, which looks again. A search for the job would be a dozen commands and the whole of its hash.
 *
 * @param before done when it still has failed, and before it runs
 * @returns false when it is none of them (any more): then it is to be looked for
 */
export async function rerunKnown(queue: Queue<unknown>, connection: RedisConnection, jobId: string, before: () => Promise<void>): Promise<boolean> {
  if ((await connection.zscore(queue.toKey('failed'), jobId)) === null) return false;
  await before();
  // BullMQ asks the job for nothing but its id.
  const job = new Job<unknown>(queue, '', undefined, {}, jobId);
  return rerunJob({ job, state: 'failed', unreadable: false }, undefined);
}
