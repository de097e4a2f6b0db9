import { workerData } from 'node:worker_threads';
import { createConnection } from '../../../queues/connection.ts';
import { queueShards } from '../../../queues/shards.ts';
import { createTaskFeed } from '../../../queues/task-feed.ts';
import type { IndexNews } from '../../adapters/sqlite/task-index/task-index-client.ts';
import { createIndexEngine, type IndexOperations } from '../../adapters/sqlite/task-index/task-index-engine.ts';
import { toldWriter } from '../../adapters/sqlite/task-index/told-writer.ts';
import { threadSide } from '../../adapters/threads/serve.ts';
import { isWritError, messageOf } from '../../core/errors.ts';
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
  const feed = createTaskFeed({ connection, pool, providers, shards: queueShards(queue), index: toldWriter(engine, side.tell), results, onError: trouble });
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
