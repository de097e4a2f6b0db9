import { workerData } from 'node:worker_threads';
import { createConnection } from '../../../queues/connection.ts';
import { queueShards } from '../../../queues/shards.ts';
import { createTaskFeed } from '../../../queues/task-feed.ts';
import type { IndexNews } from '../../adapters/sqlite/task-index/task-index-client.ts';
import { createIndexEngine, type IndexEngine, type IndexOperations } from '../../adapters/sqlite/task-index/task-index-engine.ts';
import { threadSide } from '../../adapters/threads/serve.ts';
import { isWritError, messageOf } from '../../core/errors.ts';
import type { TaskIndexHealth, TaskIndexWriter } from '../../core/ports/index.ts';
import { openResults } from '../results.ts';
import { openEd25519 } from '../signatures.ts';
import type { FedIndexSetup } from './fed-index.ts';

/** The writing thread of the task index, which also feeds it: neither ten thousand events nor their rows stop the event loop of the API. */
const { options, target, pool, providers, queue, places, crypto } = workerData as FedIndexSetup;
const side = threadSide<IndexOperations, IndexNews>();

side.serve(async () => {
  const engine = createIndexEngine(options);
  const connection = createConnection(target, 'producer', trouble);
  const results = openResults(places, () => openEd25519(crypto));
  const feed = createTaskFeed({ connection, pool, providers, shards: queueShards(queue), index: writerOf(engine), results, onError: trouble });
  await feed.start();
  return {
    calls: engine,
    async close() {
      await feed.stop();
      connection.disconnect();
      engine.close();
    },
  };
});

function trouble(error: unknown): void {
  side.tell({ kind: 'trouble', code: isWritError(error) ? error.code : undefined, message: messageOf(error) });
}

/** The engine as the feed wants it; what it does is told when it has been done. */
function writerOf(engine: IndexEngine): TaskIndexWriter {
  const begun = engine.begin();
  let health: TaskIndexHealth = { state: 'building', tasks: begun.tasks, lagMs: 0 };
  const tell = (next: TaskIndexHealth, isChanged: boolean): void => {
    const isNews = isChanged || JSON.stringify(next) !== JSON.stringify(health);
    health = next;
    if (isNews) side.tell({ kind: 'health', health, isChanged });
  };
  side.tell({ kind: 'health', health, isChanged: false });
  return {
    async begin() {
      const { generation, positions, tasks } = engine.begin();
      tell({ ...health, tasks }, false);
      return { generation, positions };
    },
    async apply(batch) {
      const { answer, tasks } = engine.apply(batch);
      tell({ ...health, tasks }, batch.changes.length > 0 || answer === 'lost');
      return answer;
    },
    rows: async (jobs) => engine.rows(jobs),
    unknown: async (taskIds) => engine.unknown(taskIds),
    walk: async (after, limit) => engine.walk(after, limit),
    report: (status) => tell({ ...status, tasks: health.tasks }, false),
  };
}
