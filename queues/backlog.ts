import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { QUEUE_PREFIX } from './catalog.ts';

/** What waits in a queue. */
export interface Backlog {
  /** Jobs that a worker could take now; delayed ones are none. */
  readonly waiting: number;
  readonly paused: boolean;
}

/**
 * Reads the backlog of a queue in one shard on a connection that no BullMQ worker uses: what made one deaf must not make the look deaf too.
 * Rejects with WritError REDIS_UNAVAILABLE.
 */
export function readBacklog(redis: RedisConnection, queue: string, prefix = QUEUE_PREFIX): Promise<Backlog> {
  const key = (name: string): string => `${prefix}:${queue}:${name}`;
  return redisCall(async () => {
    const [waiting, prioritized, paused] = await Promise.all([redis.llen(key('wait')), redis.zcard(key('prioritized')), redis.hexists(key('meta'), 'paused')]);
    return { waiting: waiting + prioritized, paused: paused === 1 };
  });
}
