import { createThreadClient } from '../../../adapters/threads/client.ts';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { IndexWatch, WatchSignal } from '../../../core/ports/index.ts';
import type { WatchCalls, WatchSettings } from './watch-messages.ts';

export type IndexWatchOptions = Pick<WatchSettings, 'indexed' | 'directory'> & Partial<Omit<WatchSettings, 'firstSeq'>>;

/** A queue of 16,384 events is full after so long only at 300,000 events a second. */
const LOOK_EVERY_MS = 50;
const DEBOUNCE_MS = 250;
const STOP_MS = 2_000;

/**
 * Starts the watch thread of one index (search-rules 1). When it ends by itself, that is a `WATCHER_DOWN` signal, and no
 * barrier is answered until `arm` has started another one; what is asked meanwhile rejects, but for `publish`, which nobody
 * reads then.
 */
export function createIndexWatch({ lookEveryMs = LOOK_EVERY_MS, debounceMs = DEBOUNCE_MS, globalIgnoreFile = '', ...given }: IndexWatchOptions): IndexWatch {
  const settings: Omit<WatchSettings, 'firstSeq'> = { ...given, globalIgnoreFile, lookEveryMs, debounceMs };
  const listeners: ((signal: WatchSignal) => void)[] = [];
  let isWanted = false;
  /** The newest number that any thread has told: those of the next one are larger, so that nothing old covers what is new. */
  let lastSeq = 0;
  const isAtLeast = (seq: number): void => {
    lastSeq = Math.max(lastSeq, seq);
  };
  const tell = (signal: WatchSignal): void => {
    if (signal.kind === 'veto') isAtLeast(signal.seq);
    for (const listener of listeners) listener(signal);
  };
  const thread = createThreadClient<WatchCalls, WatchSignal>({
    launch: () => startThread(import.meta.url, './watch-thread', { workerData: { ...settings, firstSeq: lastSeq } satisfies WatchSettings }),
    launchedBy: 'start',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause) => new WritError('INTERNAL', `the watch thread ended: ${cause === undefined ? 'it went' : messageOf(cause)}`),
    absent: () => new WritError('INTERNAL', 'the watch thread does not run'),
    onEvent: tell,
    onDeath: () => tell({ kind: 'veto', veto: 'WATCHER_DOWN', seq: lastSeq }),
    stopMs: STOP_MS,
  });
  const stop = async (): Promise<void> => {
    isWanted = false;
    await thread.stop();
  };

  return {
    async start() {
      if (thread.isRunning) return;
      isWanted = true;
      try {
        await thread.start();
      } catch (error) {
        isWanted = false;
        throw error;
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
    async arm() {
      if (!thread.isRunning && isWanted) await thread.start();
      const result = await thread.call('arm');
      if (result.ok) isAtLeast(result.seq);
      return result;
    },
    async pending(limit) {
      const pending = await thread.call('pending', limit);
      isAtLeast(pending.seq);
      return pending;
    },
    async publish(published) {
      if (!thread.isRunning) return;
      await thread.call('publish', published).catch((error: unknown) => {
        if (thread.isRunning) throw error;
      });
    },
    setStatus(status) {
      // Without a thread nobody asks for it.
      thread.call('status', status).catch(() => undefined);
    },
    onSignal(listener) {
      listeners.push(listener);
    },
  };
}
