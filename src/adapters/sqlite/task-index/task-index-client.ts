import { WritError } from '../../../core/errors.ts';
import { createThreadClient, type ThreadClient } from '../../threads/client.ts';
import type { Calls } from '../../threads/messages.ts';
import { startThread } from '../../threads/thread-entry.ts';
import type { IndexOperations, IndexOptions } from './task-index-engine.ts';
import type { IndexViews } from './task-index-view.ts';

/** What a thread is started with. */
export interface IndexThreadData {
  readonly role: 'write' | 'read';
  readonly options: IndexOptions;
}

/** The thread that writes. One that died is started again by the next call. */
export const createIndexWriter = (options: IndexOptions): ThreadClient<IndexOperations> => clientOf<IndexOperations>('write', options);

/** The thread that reads. One that died is started again by the next call. */
export const createIndexReader = (options: IndexOptions): ThreadClient<IndexViews> => clientOf<IndexViews>('read', options);

function clientOf<C extends Calls<C>>(role: IndexThreadData['role'], options: IndexOptions): ThreadClient<C> {
  return createThreadClient<C>({
    launch: () => startThread(import.meta.url, './task-index-thread', { workerData: { role, options } satisfies IndexThreadData, name: `task-index-${role}` }),
    launchedBy: 'startThenCalls',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause) => new WritError('STORAGE_UNAVAILABLE', 'the thread of the task index ended', { cause }),
    absent: () => new WritError('STORAGE_UNAVAILABLE', 'the task index is not running'),
  });
}
