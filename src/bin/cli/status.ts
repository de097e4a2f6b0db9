import { createStatusReader } from '../../../queues/queue-status.ts';
import { queueShards } from '../../../queues/shards.ts';
import type { SystemStatus } from '../../core/ports/front-door.ts';
import { lanesOf } from '../lanes.ts';
import { boundProviders } from '../plan/providers.ts';
import type { CliRedis } from './redis.ts';
import type { CliSettings } from './settings.ts';

/** What Redis says about the queues of this pool, its workers and itself. Throws WritError REDIS_UNAVAILABLE. */
export async function readStatus({ loaded, places }: CliSettings, redis: CliRedis): Promise<SystemStatus> {
  const reader = createStatusReader({
    connection: await redis.connection('producer'),
    pool: loaded.config.pool.id,
    providers: boundProviders(loaded.config),
    lanes: lanesOf(loaded.config),
    shards: queueShards(loaded.config.queue),
    workers: places.workers,
  });
  try {
    return await reader.status();
  } finally {
    await reader.close();
  }
}
