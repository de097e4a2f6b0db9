import { type KeyedCommand, pipelined, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { queueName, taskQueues } from './catalog.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';

export interface OpenJobsOptions {
  readonly connection: RedisConnection;
  readonly pool: string;
  readonly providers?: readonly string[];
  readonly shards?: QueueShards;
}

/** BullMQ's keys for jobs that have not ended, and what counts each. */
const OPEN: readonly (readonly [command: 'llen' | 'zcard', key: string])[] = [
  ['llen', 'wait'],
  ['llen', 'paused'],
  ['llen', 'active'],
  ['zcard', 'prioritized'],
  ['zcard', 'delayed'],
];

/**
 * How many tasks and plans of a pool have jobs that have not ended. One round trip; what a user of Redis may not count, or what is
 * something else, counts as none. Rejects with WritError REDIS_UNAVAILABLE.
 */
export async function countOpenJobs({ connection, pool, providers, shards = ONE_SHARD }: OpenJobsOptions): Promise<number> {
  const queues = [...taskQueues(pool, providers), queueName('plan', pool)];
  const commands = shards.all.flatMap((prefix) =>
    queues.flatMap((queue) => OPEN.map(([command, key]): KeyedCommand => [command, `${prefix}:${queue}:${key}`])),
  );
  const answers = await redisCall(() => pipelined(connection, commands));
  return answers.reduce((sum, [, reply]) => sum + (typeof reply === 'number' ? reply : 0), 0);
}
