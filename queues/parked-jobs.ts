import type { Queue } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { promoteJob } from './late-jobs.ts';
import { openQueue } from './open-queue.ts';
import { placeOfJob } from './shards.ts';

/** Jobs that wait in the delayed sets of their queues, whatever their ids. `close` leaves the connection open. */
export interface ParkedJobs {
  /** Ends the delay of the jobs with these keys; answers how many of them were delayed. */
  promote(jobKeys: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export function createParkedJobs(connection: RedisConnection): ParkedJobs {
  const queues = new Map<string, Queue<unknown>>();
  const queueAt = (prefix: string, name: string): Queue<unknown> => {
    const key = `${prefix}:${name}`;
    const queue = queues.get(key) ?? openQueue(name, prefix, connection);
    queues.set(key, queue);
    return queue;
  };
  return {
    async promote(jobKeys) {
      const promoted = await redisCall(() =>
        Promise.all(
          jobKeys.map((key) => {
            const { prefix, queue, jobId } = placeOfJob(key);
            return promoteJob(queueAt(prefix, queue), jobId);
          }),
        ),
      );
      return promoted.filter(Boolean).length;
    },
    close: async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))),
  };
}
