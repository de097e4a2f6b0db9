import { Queue } from 'bullmq';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import type { Installation } from './installation.ts';

/** The queue `file`, as somebody has it who has access to Redis and none of our code. */
export async function withQueue({ redis }: Pick<Installation, 'redis'>, work: (queue: Queue) => Promise<unknown>): Promise<void> {
  const connection = redis.duplicate({ maxRetriesPerRequest: null });
  const queue = new Queue('file', { connection, prefix: QUEUE_PREFIX });
  try {
    await work(queue);
  } finally {
    await queue.close();
    connection.disconnect();
  }
}
