import type { Config } from '../../config/schema.ts';
import { countOpenJobs } from '../../queues/open-jobs.ts';
import { queueShards } from '../../queues/shards.ts';
import { embeddedTarget } from '../adapters/redis/embedded-files.ts';
import { createMemoryGuard, type MemoryLimits } from '../adapters/redis/memory-guard.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import type { RedisTarget } from '../adapters/redis/target.ts';
import { boundProviders } from '../adapters/tool-bindings/providers.ts';
import { systemClock } from '../core/clock.ts';
import type { MemoryGuard } from '../core/ports/index.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { registryRoots } from './plan/registry-roots.ts';

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

/** Refuses new work of a producer while Redis is nearly full, or will be when all that waits has ended. */
export function memoryGuard(config: Config, connection: RedisConnection): MemoryGuard {
  return createMemoryGuard(connection, memoryLimits(config, connection), systemClock);
}

/** What `memoryGuard` holds new work against. */
export function memoryLimits({ redis, pool, plan, queue }: Config, connection: RedisConnection): MemoryLimits {
  const providers = boundProviders(registryRoots({ plan }));
  const waiting = () => countOpenJobs({ connection, pool: pool.id, providers, shards: queueShards(queue) });
  return { highWater: redis.high_water, limitBytes: 0, waiting };
}
