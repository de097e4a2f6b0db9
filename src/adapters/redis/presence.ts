import type { Presence } from '../../core/ports/index.ts';
import { workerKey } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** Heartbeats of worker processes as keys that expire. */
export function createRedisPresence(redis: RedisConnection): Presence {
  return {
    // A server that has no memory left refuses SET, and would call every worker gone; what is there may live on.
    beat: (instance, ttlMs) =>
      redisCall(async () => {
        if ((await redis.pexpire(workerKey(instance), ttlMs)) === 0) await redis.set(workerKey(instance), '1', 'PX', ttlMs);
      }),
    gone: (instance) => redisCall(async () => void (await redis.del(workerKey(instance)))),
    isAlive: (instance) => redisCall(async () => (await redis.exists(workerKey(instance))) === 1),
  };
}
