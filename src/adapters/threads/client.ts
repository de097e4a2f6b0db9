import type { Transferable } from 'node:worker_threads';
import { type ErrorCode, WritError } from '../../core/errors.ts';
import { withTimeout } from '../../core/with-timeout.ts';
import { type Calls, type FromThread, OPENING, type ThrownError, type ToThread } from './messages.ts';
import type { ThreadLike } from './process.ts';

/** Whether a call that finds no thread launches one, by who may launch it and whether the client is between `start` and `stop`. */
const CALL_LAUNCHES = {
  start: () => false,
  startThenCalls: (isStarted: boolean) => isStarted,
  calls: () => true,
} as const satisfies Record<string, (isStarted: boolean) => boolean>;

export interface ThreadOptions<Event> {
  /** Starts the worker thread, or the process that stands for one (`startProcess`), with the data of now. */
  readonly launch: () => ThreadLike;
  readonly launchedBy: keyof typeof CALL_LAUNCHES;
  /** The code of what a call has thrown without one. */
  readonly code: ErrorCode;
  /**
   * The error of calls in flight when the thread ends.
   *
   * @param cause what the thread threw, if anything
   */
  readonly died: (cause: unknown, exitCode: number) => Error;
  /** The error of a call that finds no thread and may launch none, or one that was asked to stop. */
  readonly absent?: () => Error;
  readonly onEvent?: (event: Event) => void;
  /** Told when the thread ends and nobody has asked it to. */
  readonly onDeath?: (error: Error) => void;
  /** What of a call's arguments is moved and not copied. */
  readonly transfer?: (args: readonly unknown[]) => readonly Transferable[];
  /** What keeps the process alive: the thread (the default), or only calls in flight. */
  readonly keepsAlive?: 'thread' | 'calls';
  /** Milliseconds that `stop` gives the thread before it ends it; absent: it waits. */
  readonly stopMs?: number;
}

export interface ThreadClient<C extends Calls<C>, Ready = undefined> {
  /** Whether there is a thread that has not been asked to end. */
  readonly isRunning: boolean;
  /** Calls in flight. */
  readonly inFlight: number;
  /** Launches the thread unless there is one, and resolves when it has opened; after `stop` the next one. Throws what kept it from opening. */
  start(): Promise<Ready>;
  /** Throws what the call threw, as a WritError, or `died`, or `absent`. */
  call<K extends keyof C & string>(op: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>>;
  /** Asks the thread to close, and resolves when it has ended. Calls before it are answered; calls meanwhile are refused. */
  stop(): Promise<void>;
  /** Ends the thread in the midst of whatever it does. With a reason the calls in flight have it at once: native code that hangs never lets the end come. */
  kill(reason?: Error): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** A thread, the calls in flight, and what becomes of it. */
interface Thread {
  readonly worker: ThreadLike;
  readonly waiting: Map<number, Waiting>;
  readonly ready: Promise<unknown>;
  readonly ended: Promise<true>;
  stopping?: Promise<void>;
}

/**
 * The owner's side of a worker thread; its own side is `threadSide`. Calls are answered by id, so any number may be in
 * flight. What is special stays with the thread's owner:
 *
 *   thread         calls in flight    launched by     calls when it dies      throwing  stop
 *   crypto pool    2 batches, moved   pool, calls     INTERNAL, replaced      death     drains, kill
 *   journal        1 batch (group)    start           STORAGE_UNAVAILABLE     death     drains, close
 *   task index     many               startThenCalls  STORAGE_UNAVAILABLE     answer    close
 *   message writer 1, events          calls           STORAGE_UNAVAILABLE     answer    close
 *   index keepers  1, events          calls           told, after a pause     outcome   close between batches
 *   search         1, events, shared  calls           Error; hung: again      answer    close, 5 s, kill
 *   words *        1, events          calls           Error                   answer    close, 0.25 s, kill
 *   index build    1, events, shared  calls           outcome failed          death     flag, stopMs
 *   index watch    many, events       start           INTERNAL, WATCHER_DOWN  answer    close, stopMs
 *   copier         many, events       calls           INTERNAL                death     none: keepsAlive calls
 *
 * `*`: processes that stand for threads (`startProcess`), ended at a deadline.
 * `shared`: memory of both sides, for what no message would reach: flags of a build, the engine that a search is asking.
 */
export function createThreadClient<C extends Calls<C>, Event = never, Ready = undefined>(options: ThreadOptions<Event>): ThreadClient<C, Ready> {
  const { launchedBy, code, died, absent = () => died(undefined, 0), onEvent, onDeath, transfer, keepsAlive, stopMs } = options;
  let thread: Thread | undefined;
  let isStarted = false;
  let lastId = OPENING;

  function launch(): Thread {
    const worker = options.launch();
    const waiting: Thread['waiting'] = new Map();
    const ready = new Promise<unknown>((resolve, reject) => void waiting.set(OPENING, { resolve, reject }));
    // Those who have not called `start` hear of it by their calls.
    ready.catch(() => undefined);
    const ended = new Promise<true>((resolve) => void worker.once('exit', () => resolve(true)));
    const launched: Thread = { worker, waiting, ready, ended };
    let cause: unknown;
    worker.on('message', (message: FromThread) => ('event' in message ? onEvent?.(message.event as Event) : settle(launched, message)));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', (exitCode) => {
      const isDeath = thread === launched && launched.stopping === undefined;
      if (thread === launched) thread = undefined;
      const error = died(cause, exitCode);
      fail(launched, error);
      if (isDeath) onDeath?.(error);
    });
    return launched;
  }

  function settle(from: Thread, message: Exclude<FromThread, { event: unknown }>): void {
    const { worker, waiting } = from;
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (keepsAlive === 'calls' && waiting.size === 0) worker.unref();
    if ('error' in message) {
      const error = errorOf(message.error);
      asked?.reject(error);
      if (message.id === OPENING) void end(from, error);
    } else {
      // The thread answers what was asked under this id.
      asked?.resolve(message.value as never);
    }
  }

  function errorOf({ code: thrown = code, field, message }: ThrownError): WritError {
    return new WritError(thrown, message, field === undefined ? {} : { field });
  }

  function fail({ worker, waiting }: Thread, error: Error): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (keepsAlive === 'calls') worker.unref();
  }

  /** The thread is no longer anybody's: the next call or start finds none. */
  async function end(given: Thread, reason?: Error): Promise<void> {
    if (thread === given) thread = undefined;
    if (reason !== undefined) fail(given, reason);
    await given.worker.terminate();
  }

  function usable(): Thread {
    if (thread === undefined && CALL_LAUNCHES[launchedBy](isStarted)) thread = launch();
    if (thread === undefined || thread.stopping !== undefined) throw absent();
    return thread;
  }

  async function close({ worker, ended }: Thread): Promise<void> {
    worker.ref();
    worker.postMessage('stop' satisfies ToThread);
    if (stopMs !== undefined && (await withTimeout(ended, stopMs)) === undefined) void worker.terminate();
    await ended;
  }

  return {
    get isRunning() {
      return thread !== undefined && thread.stopping === undefined;
    },
    get inFlight() {
      return thread?.waiting.size ?? 0;
    },
    async start() {
      // No await when nothing stops: calls may follow at once.
      if (thread?.stopping !== undefined) await thread.stopping;
      isStarted = true;
      thread ??= launch();
      const { ready, ended } = thread;
      try {
        return (await ready) as Ready;
      } catch (error) {
        await ended;
        throw error;
      }
    },
    call: (op, ...args) =>
      new Promise((resolve, reject) => {
        const { worker, waiting } = usable();
        lastId += 1;
        worker.postMessage({ id: lastId, op, args } satisfies ToThread, transfer?.(args) ?? []);
        if (keepsAlive === 'calls' && waiting.size === 0) worker.ref();
        waiting.set(lastId, { resolve, reject });
      }),
    async stop() {
      isStarted = false;
      if (thread !== undefined) thread.stopping ??= close(thread);
      await thread?.stopping;
    },
    async kill(reason) {
      if (thread !== undefined) await end(thread, reason);
    },
  };
}
