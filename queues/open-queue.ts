import { Queue, type QueueOptions } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';

/**
 * One queue of a shard, on a connection that stays its owner's and may not be there yet. Each call reports its own failure:
 * without a listener the event would end the process.
 */
export function openQueue(name: string, prefix: string, connection: RedisConnection, options: Pick<QueueOptions, 'skipMetasUpdate'> = {}): Queue<unknown> {
  const queue = new Queue<unknown>(name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true, ...options });
  return queue.on('error', () => undefined);
}
