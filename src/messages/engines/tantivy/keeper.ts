import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { createIndexKeeper, type IndexKeeper, type IndexListener } from '../index-keeper.ts';

/** What the thread is started with. */
export interface IndexThreadData {
  /** The database of messages. */
  readonly file: string;
  /** The directory of the index. */
  readonly root: string;
}

export interface TantivyKeeperOptions extends IndexThreadData, IndexListener {}

/** Keeps Tantivy's index. */
export function createTantivyKeeper({ onEvent, onFailed, ...data }: TantivyKeeperOptions): IndexKeeper {
  const launch = () => startThread(import.meta.url, './index-thread', { workerData: data satisfies IndexThreadData, name: 'message-index' });
  return createIndexKeeper({ launch, onEvent, onFailed });
}
