import type { Config } from '../../config/schema.ts';
import { embeddedTarget } from '../adapters/redis/embedded-files.ts';
import { createMemoryGuard } from '../adapters/redis/policy.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import type { RedisTarget } from '../adapters/redis/target.ts';
import { systemClock } from '../core/clock.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';

/**
 * The Redis of this installation: the configured one, else the private one of `writ up`.
 * Throws WritError REDIS_UNAVAILABLE when neither exists.
 */
export function redisTarget(config: Config, places: DataDirPaths): RedisTarget {
  const { url, tls, cluster, cluster_nodes: nodes } = config.redis;
  if (url === '') return embeddedTarget(places.redis);
  const others = cluster ? { cluster: nodes } : {};
  if (!url.startsWith('rediss://')) return { url, ...others };
  return { url, ...others, tls: { caFile: tls.ca_file, certFile: tls.cert_file, keyFile: tls.key_file, serverName: tls.server_name } };
}

/** Refuses new work of a producer while Redis is nearly full. */
export function memoryGuard({ redis }: Config, connection: RedisConnection): ReturnType<typeof createMemoryGuard> {
  return createMemoryGuard(connection, { highWater: redis.high_water, limitBytes: 0 }, systemClock);
}
