import { existsSync } from 'node:fs';
import { createEnqueue } from '../../queues/enqueue.ts';
import { createRedisLedger } from '../adapters/redis/ledger.ts';
import { createMemoryGuard } from '../adapters/redis/policy.ts';
import { createRedisSignals } from '../adapters/redis/signals.ts';
import { openJournalReader } from '../adapters/sqlite/journal/journal-reader.ts';
import { systemClock } from '../core/clock.ts';
import type { Ledger, TaskGateway, TaskSignals } from '../core/ports/index.ts';
import type { CliRedis } from './cli/redis.ts';
import type { CliSettings } from './cli/settings.ts';
import { boundProviders } from './plan/providers.ts';
import { sharding } from './sharding.ts';

export interface OpenTasks extends TaskGateway, AsyncDisposable {}

/** Queues, ledger, signals and, where it lies on this host, the journal. */
export async function openTasks(settings: CliSettings, redis: CliRedis): Promise<OpenTasks> {
  const { config } = settings.loaded;
  const connection = await redis.connection('producer');
  const ledger = await openLedger(settings, redis);
  const guard = createMemoryGuard(connection, { highWater: config.redis.high_water, limitBytes: 0 }, systemClock);
  const enqueue = createEnqueue({
    connection,
    ledger,
    clock: systemClock,
    pool: config.pool.id,
    providers: boundProviders(config),
    guard,
    ...sharding(config, connection),
  });
  const journal = existsSync(settings.places.journal) ? openJournalReader(settings.places.journal) : undefined;
  return {
    enqueue,
    ledger,
    signals: lazySignals(redis),
    journal: journal && { view: async (taskId) => journal.view(taskId) },
    async [Symbol.asyncDispose]() {
      journal?.close();
      await enqueue.close();
    },
  };
}

export async function openLedger({ loaded }: CliSettings, redis: CliRedis): Promise<Ledger> {
  const { retention_s, refused_ttl_s } = loaded.config.ledger;
  return createRedisLedger(await redis.connection('producer'), { retentionMs: retention_s * 1000, refusedMs: refused_ttl_s * 1000 });
}

/** A subscription needs a connection of its own, which most commands do not. */
function lazySignals(redis: CliRedis): Pick<TaskSignals, 'onRecorded'> {
  let signals: Promise<Pick<TaskSignals, 'onRecorded'>> | undefined;
  return {
    async onRecorded(taskId, listener) {
      signals ??= redis.connection('subscriber').then(createRedisSignals);
      return (await signals).onRecorded(taskId, listener);
    },
  };
}
