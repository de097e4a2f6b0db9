import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { isWritError, messageOf } from '../../core/errors.ts';
import { type Call, type Calls, type FromThread, OPENING, type ThrownError, type ToThread } from './messages.ts';

/** What a thread does for its owner. */
export interface Served<C, Ready> {
  readonly calls: { readonly [K in keyof C]: C[K] extends (...args: infer A) => infer R ? (...args: A) => Awaited<R> | Promise<Awaited<R>> : never };
  /** What `start` of the client resolves with. */
  readonly ready?: Ready;
  /** Lets go of everything; then the thread ends by itself. Calls that are under way may be left without an answer. */
  close?(): void | Promise<void>;
  /** What a throwing call means: an answer to it (the default), or the death of the thread, for state that nobody can trust any more. */
  readonly throwing?: 'answer' | 'death';
  /** What of an answer is moved and not copied. */
  transfer?(value: unknown): readonly Transferable[];
}

export interface ThreadSide<C, Event, Ready> {
  /** Sends the owner an event. */
  tell(event: Event): void;
  /** Opens what is served and answers calls, beginning each in the order in which it came. What `open` throws is the error of `start` and of every call so far. */
  serve(open: () => Served<C, Ready> | Promise<Served<C, Ready>>): void;
}

/** What the thread was started with, or the process that stands for one. */
export function threadData<D>(): D {
  return (workerData ?? JSON.parse(process.argv[2] ?? 'null')) as D;
}

/** The way to the owner: a port, or the channel of a process that stands for a thread (`startProcess`). */
interface Port {
  on(event: 'message', listener: (message: ToThread) => void): unknown;
  postMessage(message: FromThread, transfer: readonly Transferable[]): void;
  close(): void;
}

function portOfProcess(): Port {
  if (process.send === undefined) throw new Error('the entry of a worker thread runs in a worker thread, or in a process of ours');
  // What never comes back to its event loop does not hear the disconnect.
  void import('../linux/die-with-parent.ts').then(({ dieWithParent }) => dieWithParent());
  process.once('disconnect', () => process.exit(0));
  // It was told of already, while this process was loaded.
  if (!process.connected) process.exit(0);
  return {
    on: (event, listener) => process.on(event, listener),
    postMessage: (message) => void process.send?.(message),
    close: () => process.disconnect(),
  };
}

/** The thread's side of `createThreadClient`; the same types on both sides. */
export function threadSide<C extends Calls<C>, Event = never, Ready = undefined>(): ThreadSide<C, Event, Ready> {
  const port: Port = parentPort ?? portOfProcess();
  const say = (message: FromThread, transfer: readonly Transferable[] = []): void => port.postMessage(message, transfer);

  async function opened(open: () => Served<C, Ready> | Promise<Served<C, Ready>>): Promise<void> {
    try {
      const served = await open();
      port.on('message', (message: ToThread) => void (message === 'stop' ? end(served) : answer(served, message)));
      say({ id: OPENING, value: served.ready });
    } catch (error) {
      say({ id: OPENING, error: thrown(error) });
    }
  }

  async function answer({ calls, throwing, transfer }: Served<C, Ready>, { id, op, args }: Call): Promise<void> {
    try {
      // The pair of name and arguments was checked where it was asked.
      const value = await (calls as Record<string, (...args: readonly unknown[]) => unknown>)[op]?.(...args);
      say({ id, value }, transfer?.(value));
    } catch (error) {
      // A rejection that nobody handles ends the thread.
      if (throwing === 'death') throw error;
      say({ id, error: thrown(error) });
    }
  }

  async function end(served: Served<C, Ready>): Promise<void> {
    await served.close?.();
    port.close();
  }

  return { tell: (event) => say({ event }), serve: (open) => void opened(open) };
}

function thrown(error: unknown): ThrownError {
  return isWritError(error)
    ? { code: error.code, field: error.field, message: error.message }
    : { code: undefined, field: undefined, message: messageOf(error) };
}
