import type { Presence } from '../../core/ports/index.ts';
import { workerKey } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** Heartbeats of worker processes as keys that expire. */
export function createRedisPresence(redis: RedisConnection): Presence {
  return {
    beat: (instance, ttlMs) => redisCall(async () => void (await redis.set(workerKey(instance), '1', 'PX', ttlMs))),
    gone: (instance) => redisCall(async () => void (await redis.del(workerKey(instance)))),
    isAlive: (instance) => redisCall(async () => (await redis.exists(workerKey(instance))) === 1),
  };
}
