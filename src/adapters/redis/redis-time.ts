import { once } from 'node:events';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** How long a connection that is still being made is waited for. */
const PATIENCE_MS = 5_000;

/**
 * What time it is on the server of Redis, milliseconds since 1970.
 *
 * @throws WritError REDIS_UNAVAILABLE when it does not answer within 5 s
 */
export async function redisTime(redis: RedisConnection): Promise<number> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  const [seconds = 0, micros = 0] = await redisCall(() => redis.time());
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
