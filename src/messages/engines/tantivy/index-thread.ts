import { workerData } from 'node:worker_threads';
import { threadSide } from '../../../adapters/threads/serve.ts';
import { messageOf } from '../../../core/errors.ts';
import type { MessageIndexEvent } from '../../../core/ports/index.ts';
import { failed, ok, type Result } from '../../../core/result.ts';
import { createMessagesReader } from '../../store/reader.ts';
import type { IndexKeeperCalls } from '../index-keeper.ts';
import { loadTantivy } from './binding.ts';
import { createTantivyIndexer, type TantivyIndexer } from './indexer.ts';
import type { IndexThreadData } from './keeper.ts';

/** A commit takes tens of milliseconds, a rebuild of a hundred thousand messages half a minute: neither the writer of messages nor an event loop may wait for that. */
const { file, root } = workerData as IndexThreadData;
const { tell, serve } = threadSide<IndexKeeperCalls, MessageIndexEvent>();
const reader = createMessagesReader(file);
let indexer: TantivyIndexer | undefined;

function running(): TantivyIndexer {
  if (indexer !== undefined) return indexer;
  const loaded = loadTantivy();
  if (!loaded.ok) throw new Error(loaded.why);
  indexer = createTantivyIndexer({ tantivy: loaded.tantivy, root, db: reader.database(), emit: tell });
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

/** Failures are told, and do not end the thread. */
function tried(call: keyof IndexKeeperCalls): Result<undefined, string> {
  try {
    running()[call]();
    return ok(undefined);
  } catch (error) {
    letGo();
    return failed(messageOf(error));
  }
}

serve(() => ({
  calls: { follow: () => tried('follow'), rebuild: () => tried('rebuild') },
  close() {
    letGo();
    reader.close();
  },
}));
