import { createThreadClient, type ThreadClient } from '../../../adapters/threads/client.ts';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { WriteEngine } from './engine.ts';

/** What the thread is started with. */
export interface WriterThreadData {
  readonly file: string;
}

export type WriterCalls = Pick<WriteEngine, 'apply' | 'advance'>;

/** Full text of so many rows is being made anew; this may be before the thread has opened. */
export interface Rebuilding {
  readonly documents: number;
}

/** The thread of the writer. One that died is started again by the next call. Calls throw WritError STORAGE_UNAVAILABLE. */
export function createWriterThread(file: string, onRebuild: (documents: number) => void): ThreadClient<WriterCalls> {
  return createThreadClient<WriterCalls, Rebuilding>({
    launch: () => startThread(import.meta.url, './writer-thread', { workerData: { file } satisfies WriterThreadData, name: 'message-writer' }),
    launchedBy: 'calls',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause) => new WritError('STORAGE_UNAVAILABLE', `the thread of the writer ended${cause === undefined ? '' : `: ${messageOf(cause)}`}`),
    onEvent: ({ documents }) => onRebuild(documents),
  });
}
