import { workerData } from 'node:worker_threads';
import { threadSide } from '../../threads/serve.ts';
import type { IndexThreadData } from './task-index-client.ts';
import { createIndexEngine, type IndexOperations } from './task-index-engine.ts';
import { createIndexView, type IndexViews } from './task-index-view.ts';

/** Neither a long page nor a batch of writes stops the event loop of the API, and neither waits for the other. */
const { role, options } = workerData as IndexThreadData;

const SERVE = {
  write: () =>
    threadSide<IndexOperations>().serve(() => {
      const engine = createIndexEngine(options);
      return { calls: engine, close: engine.close };
    }),
  read: () =>
    threadSide<IndexViews>().serve(() => {
      const view = createIndexView(options);
      return { calls: view, close: view.close };
    }),
} satisfies Record<IndexThreadData['role'], () => void>;

SERVE[role]();
