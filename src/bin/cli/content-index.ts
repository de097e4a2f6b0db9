import { userSurroundings } from '../../../config/load.ts';
import { createIndexLane } from '../../../queues/index-lane.ts';
import { randomHex } from '../../adapters/crypto/random-hex.ts';
import { indexService } from '../../content-search/settings/index-service.ts';
import type { IndexService } from '../../core/ports/index.ts';
import { memoryGuard } from '../redis-target.ts';
import type { CliRedis } from './redis.ts';
import type { CliSettings } from './settings.ts';

/** The indexes of this pool, for one command. Looking at them needs no Redis. */
export async function openContentIndex({ loaded }: CliSettings, redis: CliRedis): Promise<IndexService> {
  const { config } = loaded;
  return indexService({
    surroundings: userSurroundings(),
    config,
    lane: {
      async submit(task) {
        const connection = await redis.connection('producer');
        const guard = memoryGuard(config, connection);
        await using lane = createIndexLane({ pool: config.pool.id, connection, newId: randomHex, guard });
        await lane.start();
        return await lane.submit(task);
      },
    },
  });
}
