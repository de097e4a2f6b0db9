import { createRedisPoolWorkers } from '../src/adapters/redis/pool-workers.ts';
import { createRedisPresence } from '../src/adapters/redis/presence.ts';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { systemClock } from '../src/core/clock.ts';
import { broken, type Finding, passed } from '../src/core/findings.ts';
import { findStranger, poolCopied } from './pool-watch.ts';

/** Whether every worker of the pool that lives holds its lock in this directory of locks, for `writ doctor`. */
export async function poolAlone(connection: RedisConnection, pool: string, directory: string): Promise<Finding> {
  const workers = createRedisPoolWorkers(connection, pool);
  const stranger = await findStranger({ directory, workers, presence: createRedisPresence(connection), clock: systemClock });
  return stranger === undefined ? passed('none works in another data directory') : broken(poolCopied(pool, stranger, directory).message, 'stop one of the two');
}
