import type { PoolQueuesOptions } from '../../../queues/pool-queues.ts';
import { createQueueControl } from '../../../queues/queue-control.ts';
import { createStatusReader } from '../../../queues/queue-status.ts';
import { queueShards } from '../../../queues/shards.ts';
import { isThere } from '../../adapters/files/is-there.ts';
import { boundProviders } from '../../adapters/tool-bindings/providers.ts';
import type { ImportProgress, QueueControl, SystemStatus } from '../../core/ports/index.ts';
import { openMessagesReader } from '../../messages/store/open.ts';
import { lastImports } from '../../messages/store/write/imports.ts';
import { lanesOf } from '../lanes.ts';
import { registryRoots } from '../plan/registry-roots.ts';
import type { CliRedis, CliSettings } from './settings.ts';

/** What Redis says about the queues of this pool, its workers and itself. Throws WritError REDIS_UNAVAILABLE. */
export async function readStatus({ loaded, places }: CliSettings, redis: CliRedis): Promise<SystemStatus> {
  const reader = createStatusReader({ ...(await poolOf(loaded, redis)), workers: places.workers });
  try {
    return { ...(await reader.status()), imports: importsOf(places) };
  } finally {
    await reader.close();
  }
}

/** What pauses and resumes the queues of this pool. */
export async function openQueueControl({ loaded }: CliSettings, redis: CliRedis): Promise<QueueControl & AsyncDisposable> {
  return createQueueControl(await poolOf(loaded, redis));
}

async function poolOf({ config }: CliSettings['loaded'], redis: CliRedis): Promise<PoolQueuesOptions> {
  const connection = await redis.connection('producer');
  return { connection, pool: config.pool.id, providers: boundProviders(registryRoots(config)), lanes: lanesOf(config), shards: queueShards(config.queue) };
}

const IMPORTS_SHOWN = 5;

/** A database that cannot be read is the doctor's to tell of; the queues are what a status is asked for. */
function importsOf({ messages }: CliSettings['places']): readonly ImportProgress[] {
  if (!isThere(messages)) return [];
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
