import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { ArmResult, IndexWatch, WatchSignal } from '../../../core/ports/index.ts';
import type { WatchReply, WatchRequest, WatchSettings } from './watch-messages.ts';

export type IndexWatchOptions = Pick<WatchSettings, 'indexed' | 'directory'> & Partial<Omit<WatchSettings, 'firstSeq'>>;

/** A queue of 16,384 events is full after so long only at 300,000 events a second. */
const LOOK_EVERY_MS = 50;
const DEBOUNCE_MS = 250;
const STOP_MS = 2_000;

type Asked = WatchRequest & { readonly id: number };
type WithoutId<R> = R extends Asked ? Omit<R, 'id'> : never;

const isOf = <K extends WatchReply['kind']>(reply: WatchReply, kind: K): reply is Extract<WatchReply, { kind: K }> => reply.kind === kind;

/**
 * Starts the watch thread of one index (search-rules 1). When it ends by itself, that is a `WATCHER_DOWN` signal, and no
 * barrier is answered until `arm` has started another one; what is asked meanwhile rejects, but for `publish`, which nobody
 * reads then.
 */
export function createIndexWatch({ lookEveryMs = LOOK_EVERY_MS, debounceMs = DEBOUNCE_MS, globalIgnoreFile = '', ...given }: IndexWatchOptions): IndexWatch {
  const settings: Omit<WatchSettings, 'firstSeq'> = { ...given, globalIgnoreFile, lookEveryMs, debounceMs };
  const listeners: ((signal: WatchSignal) => void)[] = [];
  const waiting = new Map<number, { readonly resolve: (reply: WatchReply) => void; readonly reject: (error: Error) => void }>();
  let thread: Worker | undefined;
  let isWanted = false;
  let lastId = 0;
  /** The newest number that any thread has told: those of the next one are larger, so that nothing old covers what is new. */
  let lastSeq = 0;

  const tell = (signal: WatchSignal): void => {
    for (const listener of listeners) listener(signal);
  };
  const take = (reply: WatchReply): void => {
    if (reply.kind === 'signal') {
      if (reply.signal.kind === 'veto') lastSeq = Math.max(lastSeq, reply.signal.seq);
      tell(reply.signal);
      return;
    }
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.kind === 'failed') asked?.reject(new WritError('STORAGE_UNAVAILABLE', reply.message));
    else asked?.resolve(reply);
  };
  const ask = <K extends WatchReply['kind']>(request: WithoutId<WatchRequest>, kind: K): Promise<Extract<WatchReply, { kind: K }>> =>
    new Promise((resolve, reject) => {
      if (thread === undefined) return reject(new WritError('INTERNAL', 'the watch thread does not run'));
      lastId += 1;
      waiting.set(lastId, {
        resolve: (reply) => (isOf(reply, kind) ? resolve(reply) : reject(new WritError('INTERNAL', 'another answer was expected'))),
        reject,
      });
      thread.postMessage({ ...request, id: lastId });
    });
  const fail = (why: string): void => {
    for (const { reject } of waiting.values()) reject(new WritError('INTERNAL', `the watch thread ended: ${why}`));
    waiting.clear();
  };
  const run = (): Worker => {
    const worker = startThread(import.meta.url, './watch-thread', { workerData: { ...settings, firstSeq: lastSeq } satisfies WatchSettings });
    let why = 'it went';
    worker.on('message', take);
    worker.on('error', (error) => {
      why = messageOf(error);
    });
    worker.on('exit', () => {
      fail(why);
      if (thread !== worker) return;
      thread = undefined;
      tell({ kind: 'veto', veto: 'WATCHER_DOWN', seq: lastSeq });
    });
    return worker;
  };
  const start = async (): Promise<void> => {
    thread = run();
    await ask({ kind: 'start' }, 'done');
  };
  const stop = async (): Promise<void> => {
    isWanted = false;
    const worker = thread;
    if (worker === undefined) return;
    const said = ask({ kind: 'stop' }, 'done').catch(() => undefined);
    // From here on its end is not a crash.
    thread = undefined;
    const late = setTimeout(() => void worker.terminate(), STOP_MS);
    await said;
    await worker.terminate();
    clearTimeout(late);
  };

  return {
    async start() {
      if (thread !== undefined) return;
      isWanted = true;
      try {
        await start();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
    async arm(): Promise<ArmResult> {
      if (thread === undefined && isWanted) await start();
      const { result } = await ask({ kind: 'arm' }, 'armed');
      if (result.ok) lastSeq = Math.max(lastSeq, result.seq);
      return result;
    },
    async pending(limit) {
      const { pending } = await ask({ kind: 'pending', limit }, 'entries');
      lastSeq = Math.max(lastSeq, pending.seq);
      return pending;
    },
    async publish(published) {
      if (thread === undefined) return;
      await ask({ kind: 'publish', published }, 'done').catch((error: unknown) => {
        if (thread !== undefined) throw error;
      });
    },
    setStatus(status) {
      thread?.postMessage({ kind: 'status', status } satisfies WatchRequest);
    },
    onSignal(listener) {
      listeners.push(listener);
    },
  };
}
