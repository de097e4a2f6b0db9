import { WritError } from '../../core/errors.ts';
import type { PoolOwnership } from '../../core/ports/index.ts';
import { poolKey } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** The owner key of a pool: set once, by whoever comes first. */
export function createRedisPoolOwnership(redis: RedisConnection): PoolOwnership {
  return {
    claimPool: (pool, dataDirId) =>
      redisCall(async () => {
        const key = poolKey(pool);
        await redis.set(key, dataDirId, 'NX');
        const owner = await redis.get(key);
        if (owner !== dataDirId) throw poolOwned(pool, owner ?? 'nobody', key);
      }),
  };
}

function poolOwned(pool: string, owner: string, key: string): WritError {
  return new WritError(
    'POOL_OWNED',
    `pool '${pool}' belongs to data directory ${owner}: a pool is one host with one data directory. Give this worker another pool name (pool.id), ` +
      `or start it on the data directory that owns the pool. If that directory is gone for good, delete the Redis key '${key}'.`,
  );
}
