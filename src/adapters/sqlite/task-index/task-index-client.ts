import type { Worker } from 'node:worker_threads';
import { type ErrorCode, WritError } from '../../../core/errors.ts';
import type { TaskIndexHealth } from '../../../core/ports/index.ts';
import { createThreadClient, type ThreadClient, type ThreadOptions } from '../../threads/client.ts';
import type { Calls } from '../../threads/messages.ts';
import { startThread } from '../../threads/thread-entry.ts';
import type { IndexOperations, IndexOptions } from './task-index-engine.ts';
import type { IndexViews } from './task-index-view.ts';

/** What a thread is started with. */
export interface IndexThreadData {
  readonly role: 'write' | 'read';
  readonly options: IndexOptions;
}

/** What a writing thread that feeds itself tells beside its answers. */
export type IndexNews =
  /** As `TaskIndexHealth`; `isChanged`: rows have changed since the last news. */
  | { readonly kind: 'health'; readonly health: TaskIndexHealth; readonly isChanged: boolean }
  | { readonly kind: 'trouble'; readonly code: ErrorCode | undefined; readonly message: string };

/** Who a writing thread tells what it does by itself. */
export interface IndexWriterListener {
  onNews(news: IndexNews): void;
  /** It ended and nobody had asked it to. */
  onDeath(error: Error): void;
}

export type IndexWriterThread = ThreadClient<IndexOperations>;

/** The thread that writes. One that died is started again by the next call. */
export const createIndexWriter = (options: IndexOptions): IndexWriterThread => clientOf<IndexOperations>(threadOf('write', options));

/** The same, from an entry of its owner's that also feeds the index. */
export const createFedWriter = (launch: () => Worker, { onNews, onDeath }: IndexWriterListener): IndexWriterThread =>
  clientOf<IndexOperations>(launch, { onEvent: onNews, onDeath });

/** The thread that reads. One that died is started again by the next call. */
export const createIndexReader = (options: IndexOptions): ThreadClient<IndexViews> => clientOf<IndexViews>(threadOf('read', options));

const threadOf = (role: IndexThreadData['role'], options: IndexOptions) => (): Worker =>
  startThread(import.meta.url, './task-index-thread', { workerData: { role, options } satisfies IndexThreadData, name: `task-index-${role}` });

function clientOf<C extends Calls<C>>(launch: () => Worker, told: Pick<ThreadOptions<IndexNews>, 'onEvent' | 'onDeath'> = {}): ThreadClient<C> {
  return createThreadClient<C, IndexNews>({
    launch,
    launchedBy: 'startThenCalls',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause) => new WritError('STORAGE_UNAVAILABLE', 'the thread of the task index ended', { cause }),
    absent: () => new WritError('STORAGE_UNAVAILABLE', 'the task index is not running'),
    ...told,
  });
}
