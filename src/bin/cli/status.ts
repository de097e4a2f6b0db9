import { existsSync } from 'node:fs';
import { createStatusReader } from '../../../queues/queue-status.ts';
import { queueShards } from '../../../queues/shards.ts';
import type { ImportProgress, SystemStatus } from '../../core/ports/system-status.ts';
import { openMessagesReader } from '../../messages/store/open.ts';
import { lastImports } from '../../messages/store/write/engine.ts';
import { lanesOf } from '../lanes.ts';
import { boundProviders } from '../plan/providers.ts';
import type { CliRedis, CliSettings } from './settings.ts';

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
    return { ...(await reader.status()), imports: importsOf(places) };
  } finally {
    await reader.close();
  }
}

const IMPORTS_SHOWN = 5;

/** A database that cannot be read is the doctor's to tell of; the queues are what a status is asked for. */
function importsOf({ messages }: CliSettings['places']): readonly ImportProgress[] {
  if (!existsSync(messages)) return [];
  try {
    const db = openMessagesReader(messages);
    try {
      return lastImports(db, IMPORTS_SHOWN);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}
