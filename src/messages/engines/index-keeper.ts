import { createThreadClient } from '../../adapters/threads/client.ts';
import type { ThreadLike } from '../../adapters/threads/process.ts';
import { messageOf } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { MessageIndexEvent } from '../../core/ports/index.ts';
import type { Result } from '../../core/result.ts';

/** What the thread answers: why it failed, as a value. */
export interface IndexKeeperCalls {
  follow(): Result<undefined, string>;
  rebuild(): Result<undefined, string>;
}

/** Who is told of an index beside the messages. */
export interface IndexListener {
  readonly onEvent: (event: MessageIndexEvent) => void;
  /** Told why the index could not be brought up to date; it is tried again after a pause. Searches meanwhile take another engine. */
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
  readonly launch: () => ThreadLike;
  /** Whether there may be changes at the start. */
  readonly isBehind?: () => boolean;
}

/**
 * Pauses after a failure, milliseconds, each twice the one before: what was in the way has no change to tell of when it is gone. Changes
 * wait for the end of a pause, too: each would meet the same, and be told in the log.
 */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

export function createIndexKeeper({ launch, isBehind = () => true, onEvent, onFailed }: IndexKeeperOptions): IndexKeeper {
  const thread = createThreadClient<IndexKeeperCalls, MessageIndexEvent>({
    launch,
    launchedBy: 'calls',
    code: 'INTERNAL',
    died: (cause) => new Error(`the thread of the index ended: ${messageOf(cause)}`),
    onEvent,
    // Whoever waits for an answer tells it himself.
    onDeath: ({ message }) => isBusy || onFailed(message),
  });
  let isRunning = false;
  let isBusy = false;
  let wanted: keyof IndexKeeperCalls | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let paused: NodeJS.Timeout | undefined;

  async function work(): Promise<void> {
    if (!isRunning || isBusy || paused !== undefined || wanted === undefined) return;
    const call = wanted;
    [isBusy, wanted] = [true, undefined];
    const failure = await thread.call(call).then(
      (done) => (done.ok ? undefined : done.error),
      // The thread has died.
      messageOf,
    );
    isBusy = false;
    if (failure !== undefined) return later(call, failure);
    pauseMs = FIRST_PAUSE_MS;
    void work();
  }

  function later(call: keyof IndexKeeperCalls, why: string): void {
    // What was to be begun anew is not done by following.
    wanted = call === 'rebuild' ? call : (wanted ?? call);
    if (isRunning) paused = setTimeout(goOn, pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    onFailed(why);
  }

  function goOn(): void {
    clearTimeout(paused);
    paused = undefined;
    void work();
  }

  const life = lifecycle(
    () => {
      isRunning = true;
      if (isBehind()) wanted ??= 'follow';
      void work();
    },
    async () => {
      isRunning = false;
      clearTimeout(paused);
      paused = undefined;
      await thread.stop();
    },
  );

  return {
    ...life,
    follow() {
      wanted ??= 'follow';
      void work();
    },
    rebuild() {
      wanted = 'rebuild';
      // Somebody asks for it.
      goOn();
    },
  };
}
