import { SHARDS_KEY } from '../src/adapters/redis/keys.ts';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { WritError } from '../src/core/errors.ts';
import { queueShards, shardPrefixes } from './shards.ts';

/**
 * Tells Redis the number of shards that this worker serves, and refuses a setting under which jobs of an earlier one would
 * lie in shards that nobody serves.
 *
 * @throws WritError INVALID_CONFIG queue.earlier_shards, REDIS_UNAVAILABLE
 */
export async function claimShards(redis: RedisConnection, setting: { readonly shards: number; readonly earlier_shards: readonly number[] }): Promise<void> {
  const served = new Set(queueShards(setting).all);
  const known = await redisCall(async () => {
    await redis.sadd(SHARDS_KEY, setting.shards);
    return (await redis.smembers(SHARDS_KEY)).map(Number).filter((number) => Number.isSafeInteger(number) && number > 0);
  });
  const forgotten = known.filter((number) => !shardPrefixes(number).every((prefix) => served.has(prefix))).sort((a, b) => a - b);
  if (forgotten.length === 0) return;
  const [number] = forgotten;
  throw new WritError(
    'INVALID_CONFIG',
    `${forgotten.join(' and ')} shards were in use on this Redis and may still hold jobs: put ${number} into queue.earlier_shards. ` +
      `When \`writ status\` shows none of their jobs any more: redis-cli SREM '${SHARDS_KEY}' ${number}`,
    { field: 'queue.earlier_shards' },
  );
}
