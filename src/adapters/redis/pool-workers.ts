import { z } from 'zod';
import type { PoolWorkers } from '../../core/ports/index.ts';
import { poolWorkersKey } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

const Word = z.object({ beats: z.int(), interval_ms: z.int(), place: z.string().max(200) });

/** A hash for each pool: a field for each worker. What is no such word is left out. */
export function createRedisPoolWorkers(redis: RedisConnection, pool: string): PoolWorkers {
  const key = poolWorkersKey(pool);
  return {
    say: ({ instance, beats, intervalMs, place }) =>
      redisCall(async () => void (await redis.hset(key, instance, JSON.stringify({ beats, interval_ms: intervalMs, place })))),
    gone: (instance) => redisCall(async () => void (await redis.hdel(key, instance))),
    all: () =>
      redisCall(async () =>
        Object.entries(await redis.hgetall(key)).flatMap(([instance, text]) => {
          const read = Word.safeParse(jsonOf(text));
          return read.success ? [{ instance, beats: read.data.beats, intervalMs: read.data.interval_ms, place: read.data.place }] : [];
        }),
      ),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
