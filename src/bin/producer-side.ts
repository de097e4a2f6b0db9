import type { Config } from '../../config/schema.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import { type QueueShards, queueShards } from '../../queues/shards.ts';
import { isThere } from '../adapters/files/is-there.ts';
import { createRedisLedger } from '../adapters/redis/ledger.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import { type Replicated, waitForReplicas } from '../adapters/redis/replicated.ts';
import { type JournalReader, openJournalReader } from '../adapters/sqlite/journal/journal-reader.ts';
import { boundProviders } from '../adapters/tool-bindings/providers.ts';
import { systemClock } from '../core/clock.ts';
import type { Enqueue, Ledger, ResultReader, TaskGateway, TaskSignals } from '../core/ports/index.ts';
import type { DataDirPaths } from '../data-dir/paths.ts';
import { registryRoots } from './plan/registry-roots.ts';
import { memoryGuard } from './redis-target.ts';

export interface ProducerWiring {
  readonly config: Config;
  readonly places: DataDirPaths;
  /** Of the kind `producer`; the owner closes it. */
  readonly connection: RedisConnection;
  /** Of the executors that are trusted here. */
  readonly results: ResultReader;
  /** A subscription needs a connection of its own, which most commands do not: asked for with the first wait. */
  signals(): Promise<Pick<TaskSignals, 'onRecorded'>>;
  /** `file` of the settings as they are now, for dry runs. */
  readonly files?: () => Config['file'];
}

/** What a process that pushes tasks works with. */
export interface ProducerSide extends AsyncDisposable {
  /** @param observe counts and traces the pushes of one surface */
  gateway(observe?: (enqueue: Enqueue) => Enqueue): TaskGateway;
}

/** Queues, ledger, signals and, where it lies on this host, the journal: the one way in which tasks are pushed and looked up. */
export function openProducerSide({ config, places, connection, results, signals, files = () => config.file }: ProducerWiring): ProducerSide {
  const ledger = openLedger(config, connection);
  const guard = memoryGuard(config, connection);
  const enqueue = createEnqueue({
    connection,
    ledger,
    results,
    clock: systemClock,
    pool: config.pool.id,
    providers: boundProviders(registryRoots(config)),
    guard,
    together: true,
    ...sharding(config, connection),
  });
  const journal = openJournalWhenThere(places.journal);
  return {
    gateway: (observe = (port) => port) => ({
      enqueue: observe(enqueue),
      ledger,
      results,
      signals: { onRecorded: async (taskId, listener) => (await signals()).onRecorded(taskId, listener) },
      assertRoom: () => guard.check(),
      preview: async (manifest) => (await import('../../processors/preview-file.ts')).previewHere(manifest, files()),
      get journal() {
        return journal.view();
      },
    }),
    async [Symbol.asyncDispose]() {
      journal.close();
      await enqueue.close();
    },
  };
}

/** The ledger with the retention of the settings. */
export function openLedger({ ledger: { retention_s, refused_ttl_s } }: Config, connection: RedisConnection): Ledger {
  return createRedisLedger(connection, { retentionMs: retention_s * 1000, refusedMs: refused_ttl_s * 1000 });
}

/** Where a producer's pushes go, and what they wait for before they are acknowledged. */
export function sharding({ queue, redis }: Config, connection: RedisConnection): { readonly shards: QueueShards; readonly replicated: Replicated | undefined } {
  return { shards: queueShards(queue), replicated: waitForReplicas(connection, { replicas: redis.wait_replicas, ms: redis.wait_ms }) };
}

/** How often it is looked whether the first worker of this host has made the journal. */
const LOOK_MS = 1000;

/** The journal of this host as soon as there is one: a producer may be older than it. */
function openJournalWhenThere(file: string): { view(): TaskGateway['journal']; close(): void } {
  let reader: JournalReader | undefined;
  let journal: TaskGateway['journal'];
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    view() {
      if (journal !== undefined || systemClock.monotonic() - lookedAt < LOOK_MS) return journal;
      lookedAt = systemClock.monotonic();
      if (!isThere(file)) return undefined;
      const opened = openJournalReader(file);
      reader = opened;
      journal = { view: async (taskId) => opened.view(taskId) };
      return journal;
    },
    close: () => reader?.close(),
  };
}
