import { Queue, type QueueOptions } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';

/**
 * One queue of a shard, on a connection that stays its owner's and may not be there yet. Each call reports its own failure:
 * without a listener the event would end the process.
 */
export function openQueue(name: string, prefix: string, connection: RedisConnection, options: Pick<QueueOptions, 'skipMetasUpdate'> = {}): Queue<unknown> {
  const queue = new Queue<unknown>(name, { connection, prefix, skipWaitingForReady: true, skipVersionCheck: true, ...options });
  const { backend } = queue;
  const run = backend.execCommand.bind(backend);
  backend.execCommand = (client, command, args) => run(client, REPLACED.get(command) ?? command, args);
  return queue.on('error', () => undefined);
}

/**
 * BullMQ that has not asked for the server's version takes it for one of before 6.0.6, which has no LPOS, and looks for a job
 * by reading all that wait into Lua. Redis 7 is the oldest that Writ runs with.
 */
const REPLACED: ReadonlyMap<string, string> = new Map([['getState', 'getStateV2']]);
