import { setImmediate as turn } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { threadSide } from '../../adapters/threads/serve.ts';
import { messageOf } from '../../core/errors.ts';
import type { MessageIndexEvent } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { IndexKeeperCalls } from '../engines/index-keeper.ts';
import { createVectorMaker, type VectorMaker } from '../engines/vectors/maker.ts';
import { createMessagesReader } from '../store/reader.ts';
import { openEmbedder } from './models.ts';
import type { VectorThreadData } from './vectors.ts';

/** A model needs milliseconds for each text: neither the writer of messages nor an event loop may wait for that. */
const { file, directory, model, batch } = workerData as VectorThreadData;
const { tell, serve } = threadSide<IndexKeeperCalls, MessageIndexEvent>();
const reader = createMessagesReader(file);
let maker: VectorMaker | undefined;
let isEnding = false;

/** Everything that changed, a batch at a time: each is kept before the next one is begun. */
async function follow(): Promise<void> {
  maker ??= createVectorMaker(directory, await openEmbedder({ model }), reader.database);
  let anew = { documents: 0, since: performance.now() };
  while (!isEnding) {
    const { documents, durationMs, began, finished } = await maker.step(batch);
    if (began !== null) anew = { documents: 0, since: performance.now() - durationMs };
    anew.documents += documents;
    if (began !== null) tell({ event: 'index.rebuild.start', doc_count: began });
    if (documents > 0) tell({ event: 'index.incremental.batch', batch_size: documents, duration_ms: durationMs });
    if (finished) tell({ event: 'index.rebuild.complete', doc_count: anew.documents, duration_ms: performance.now() - anew.since });
    if (documents === 0 && !finished) return;
    // A word to stop is heard between two batches.
    await turn();
  }
}

function letGo(): void {
  maker?.close();
  maker = undefined;
}

let working: Promise<Result<undefined, string>> | undefined;

/** Failures are told, and do not end the thread. */
async function tried(): Promise<Result<undefined, string>> {
  try {
    await follow();
    return ok(undefined);
  } catch (error) {
    // The next attempt begins with what is stored.
    letGo();
    return failed(messageOf(error));
  }
}

const work = (): Promise<Result<undefined, string>> => {
  working = tried();
  return working;
};

serve(() => ({
  calls: { follow: work, rebuild: work },
  async close() {
    isEnding = true;
    await working;
    letGo();
    reader.close();
  },
}));
