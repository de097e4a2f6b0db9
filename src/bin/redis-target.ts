import type { Config } from '../../config/schema.ts';
import { embeddedTarget } from '../adapters/redis/embedded-files.ts';
import type { RedisTarget } from '../adapters/redis/target.ts';
import type { Places } from './places.ts';

/**
 * The Redis of this installation: the configured one, else the private one of `writ up`.
 * Throws WritError REDIS_UNAVAILABLE when neither exists.
 */
export function redisTarget(config: Config, places: Places): RedisTarget {
  return config.redis.url === '' ? embeddedTarget(places.redis) : { url: config.redis.url };
}
