import type { Worker } from 'node:worker_threads';
import type { Config } from '../../../config/schema.ts';
import type { RedisTarget } from '../../adapters/redis/target.ts';
import { createTaskIndex } from '../../adapters/sqlite/task-index/task-index.ts';
import { createFedWriter } from '../../adapters/sqlite/task-index/task-index-client.ts';
import type { IndexOptions } from '../../adapters/sqlite/task-index/task-index-engine.ts';
import { startThread } from '../../adapters/threads/thread-entry.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { TaskIndex } from '../../core/ports/index.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';

/** What the thread of the index is started with. */
export interface FedIndexSetup {
  readonly options: IndexOptions;
  readonly target: RedisTarget;
  readonly pool: string;
  readonly providers: readonly string[];
  readonly queue: Pick<Config['queue'], 'shards' | 'earlier_shards'>;
  readonly places: Pick<DataDirPaths, 'executorKeyring'>;
  readonly crypto: Config['crypto']['implementation'];
}

export interface FedIndexWiring {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly target: RedisTarget;
  readonly providers: readonly string[];
  /** Told of the troubles of the feed, which goes on by itself. */
  readonly onTrouble: (error: unknown) => void;
  /** Starts the thread; a parameter so that a test can end it. */
  readonly startWorker?: (setup: FedIndexSetup) => Worker;
}

/** The task index of the API with its feed. The feed runs in the thread that writes: jobs are read there and their rows never travel. */
export function createFedIndex({ config, places, target, providers, onTrouble, startWorker = startFeed }: FedIndexWiring): TaskIndex & Lifecycle {
  const { shards, earlier_shards } = config.queue;
  const setup = { target, pool: config.pool.id, providers, queue: { shards, earlier_shards }, crypto: config.crypto.implementation };
  return createTaskIndex({
    file: places.taskIndex,
    maxTasks: config.task_index.max_tasks,
    onTrouble,
    writer: (options, listener) => createFedWriter(() => startWorker({ ...setup, options, places: { executorKeyring: places.executorKeyring } }), listener),
  });
}

function startFeed(workerData: FedIndexSetup): Worker {
  return startThread(import.meta.url, './fed-index-thread', { workerData, name: 'task-index-feed' });
}
