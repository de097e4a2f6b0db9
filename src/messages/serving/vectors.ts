import { startThread } from '../../adapters/threads/thread-entry.ts';
import { createIndexKeeper, type IndexKeeper, type IndexListener } from '../engines/index-keeper.ts';
import { openMessagesReader } from '../store/open.ts';
import type { VectorSettings } from './models.ts';

/** What the thread is started with. */
export interface VectorThreadData extends Pick<VectorSettings, 'directory' | 'model'> {
  /** The database of messages. */
  readonly file: string;
  /** Texts of one step. */
  readonly batch: number;
}

/** Keeps the vectors beside the messages. Without a text there is no thread. */
export function createVectorKeeper({ onEvent, onFailed, ...data }: VectorThreadData & IndexListener): IndexKeeper {
  const launch = () => startThread(import.meta.url, './vector-thread', { workerData: data satisfies VectorThreadData, name: 'message-vectors' });
  return createIndexKeeper({ launch, isBehind: () => hasTexts(data.file), onEvent, onFailed });
}

/** A database that cannot be read has told of itself elsewhere. */
function hasTexts(file: string): boolean {
  try {
    const db = openMessagesReader(file);
    try {
      return db.prepare('SELECT 1 FROM text_changes LIMIT 1').get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}
