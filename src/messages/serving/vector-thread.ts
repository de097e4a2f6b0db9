import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/errors.ts';
import type { FromIndexThread, ToIndexThread } from '../engines/index-keeper.ts';
import { createVectorMaker, type VectorMaker } from '../engines/vectors/maker.ts';
import { createMessagesReader } from '../store/reader.ts';
import { openEmbedder } from './models.ts';
import type { VectorThreadData } from './vectors.ts';

/** A model needs milliseconds for each text: neither the writer of messages nor an event loop may wait for that. */
const { file, directory, model, batch } = workerData as VectorThreadData;
const port = parentPort;
if (port === null) throw new Error('vectors of messages are made only in a thread');

const say = (message: FromIndexThread): void => port.postMessage(message);
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
    if (began !== null) say({ kind: 'event', event: { event: 'index.rebuild.start', doc_count: began } });
    if (documents > 0) say({ kind: 'event', event: { event: 'index.incremental.batch', batch_size: documents, duration_ms: durationMs } });
    if (finished) say({ kind: 'event', event: { event: 'index.rebuild.complete', doc_count: anew.documents, duration_ms: performance.now() - anew.since } });
    if (documents === 0 && !finished) return;
    // A word to stop is heard between two batches.
    await turn();
  }
}

function letGo(): void {
  maker?.close();
  maker = undefined;
}

let working: Promise<void> = Promise.resolve();

port.on('message', ({ kind }: ToIndexThread) => {
  if (kind === 'stop') {
    isEnding = true;
    void working.then(() => {
      letGo();
      reader.close();
      port.close();
    });
    return;
  }
  working = follow().then(
    () => say({ kind: 'done' }),
    (error: unknown) => {
      // The next attempt begins with what is stored.
      letGo();
      say({ kind: 'failed', why: messageOf(error) });
    },
  );
});
