import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { MessageIndexEvent } from '../../core/ports/index.ts';

export type ToIndexThread = { readonly kind: 'follow' | 'rebuild' | 'stop' };

/** One answer for each `follow` and `rebuild`. */
export type FromIndexThread =
  | { readonly kind: 'event'; readonly event: MessageIndexEvent }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string };

/** Who is told of an index beside the messages. */
export interface IndexListener {
  readonly onEvent: (event: MessageIndexEvent) => void;
  /** Told why the index could not be brought up to date; the next change tries again. Searches meanwhile take another engine. */
  readonly onFailed: (why: string) => void;
}

/** Keeps an index beside the messages, in a thread of its own; to be run by the process that writes the messages. */
export interface IndexKeeper extends Lifecycle {
  /** There may be changes. Comes back at once; calls while it works are one. */
  follow(): void;
  /** The index is to be made anew. */
  rebuild(): void;
}

export interface IndexKeeperOptions extends IndexListener {
  /** Starts the thread. */
  readonly launch: () => Worker;
  /** Whether there may be changes at the start. */
  readonly isBehind?: () => boolean;
}

export function createIndexKeeper({ launch, isBehind = () => true, onEvent, onFailed }: IndexKeeperOptions): IndexKeeper {
  let worker: Worker | undefined;
  let isRunning = false;
  let isBusy = false;
  let wanted: 'follow' | 'rebuild' | undefined;

  function start(): Worker {
    const thread = launch();
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
    worker ??= start();
    isBusy = true;
    worker.postMessage({ kind: wanted } satisfies ToIndexThread);
    wanted = undefined;
  }

  const life = lifecycle(
    () => {
      isRunning = true;
      if (isBehind()) wanted ??= 'follow';
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
