import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import { createMessagesReader } from '../../store/reader.ts';
import type { FromIndexThread, ToIndexThread } from '../index-keeper.ts';
import { loadTantivy } from './binding.ts';
import { createTantivyIndexer, type TantivyIndexer } from './indexer.ts';
import type { IndexThreadData } from './thread-messages.ts';

/** A commit takes tens of milliseconds, a rebuild of a hundred thousand messages half a minute: neither the writer of messages nor an event loop may wait for that. */
const { file, root } = workerData as IndexThreadData;
const port = parentPort;
if (port === null) throw new Error('the index of messages is written only in a thread');

const say = (message: FromIndexThread): void => port.postMessage(message);
const reader = createMessagesReader(file);
let indexer: TantivyIndexer | undefined;

function running(): TantivyIndexer {
  if (indexer !== undefined) return indexer;
  const loaded = loadTantivy();
  if (!loaded.ok) throw new Error(loaded.why);
  indexer = createTantivyIndexer({ tantivy: loaded.tantivy, root, db: reader.database(), emit: (event) => say({ kind: 'event', event }) });
  return indexer;
}

/** Whatever state an attempt was left in, the next one begins with what is published. */
function letGo(): void {
  const left = indexer;
  indexer = undefined;
  try {
    left?.close();
  } catch {
    // It has failed before: that was told.
  }
}

port.on('message', ({ kind }: ToIndexThread) => {
  if (kind === 'stop') {
    letGo();
    reader.close();
    port.close();
    return;
  }
  try {
    running()[kind]();
    say({ kind: 'done' });
  } catch (error) {
    letGo();
    say({ kind: 'failed', why: messageOf(error) });
  }
});
