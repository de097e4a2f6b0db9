import { workerData } from 'node:worker_threads';
import { threadSide } from '../../../adapters/threads/serve.ts';
import { createWriteEngine } from './engine.ts';
import type { Rebuilding, WriterCalls, WriterThreadData } from './thread-client.ts';

/** A transaction of a thousand messages takes a tenth of a second, a rebuild minutes: no event loop may wait for that. */
const { file } = workerData as WriterThreadData;
const { tell, serve } = threadSide<WriterCalls, Rebuilding>();

serve(() => {
  const engine = createWriteEngine(file, (documents) => tell({ documents }));
  return { calls: engine, close: engine.close };
});
