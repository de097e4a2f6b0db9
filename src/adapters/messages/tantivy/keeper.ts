import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import type { Lifecycle } from '../../../core/lifecycle.ts';
import { part } from '../../../core/parts.ts';
import type { MessageIndexEvent } from '../../../core/ports/index.ts';
import { startThread } from '../../../core/thread-entry.ts';
import type { FromIndexThread, IndexThreadData, ToIndexThread } from './thread-messages.ts';

export interface TantivyKeeperOptions extends IndexThreadData {
  readonly onEvent: (event: MessageIndexEvent) => void;
  /** Told why the index could not be brought up to date; the next change tries again. Searches meanwhile take FTS5. */
  readonly onFailed: (why: string) => void;
}

/** Keeps the index beside the messages, in a thread of its own; to be run by the process that writes the messages. */
export interface TantivyKeeper extends Lifecycle {
  /** There may be changes. Comes back at once; calls while it works are one. */
  follow(): void;
  /** The index is to be made anew. */
  rebuild(): void;
}

export function createTantivyKeeper({ onEvent, onFailed, ...data }: TantivyKeeperOptions): TantivyKeeper {
  let worker: Worker | undefined;
  let isRunning = false;
  let isBusy = false;
  let wanted: 'follow' | 'rebuild' | undefined;

  function launch(): Worker {
    const thread = startThread(import.meta.url, './index-thread', { workerData: data satisfies IndexThreadData, name: 'message-index' });
    let cause: unknown;
    thread.on('error', (error) => {
      cause = error;
    });
    thread.on('message', (message: FromIndexThread) => {
      if (message.kind === 'event') return onEvent(message.event);
      if (message.kind === 'failed') onFailed(message.why);
      isBusy = false;
      work();
    });
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
      if (cause !== undefined) onFailed(`the thread of the index ended: ${messageOf(cause)}`);
      isBusy = false;
    });
    return thread;
  }

  function work(): void {
    if (!isRunning || isBusy || wanted === undefined) return;
    worker ??= launch();
    isBusy = true;
    worker.postMessage({ kind: wanted } satisfies ToIndexThread);
    wanted = undefined;
  }

  const life = part(
    () => {
      isRunning = true;
      wanted ??= 'follow';
      work();
    },
    async () => {
      isRunning = false;
      const thread = worker;
      if (thread === undefined) return;
      const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      thread.postMessage({ kind: 'stop' } satisfies ToIndexThread);
      await ended;
    },
  );

  return {
    ...life,
    follow() {
      wanted ??= 'follow';
      work();
    },
    rebuild() {
      wanted = 'rebuild';
      work();
    },
  };
}
