import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import type { SecondReader } from '../build/second-reader.ts';
import { CONTROL, slotMemory } from '../build/slots.ts';

export interface ReadThreadData {
  readonly indexed: IndexedTree;
  /** The slots, and the flag that ends the thread. */
  readonly memory: SharedArrayBuffer;
}

/** What it makes for a file does not outlive it: more would only be memory of the host. */
const YOUNG_MB = 8;
/** A disk may be slow. */
const PATIENCE_MS = 10_000;

/**
 * The second reader of a build thread. That thread is in a job from begin to end, so it hears nothing of this one but what
 * stands in the shared memory: no calls, and no `createThreadClient`.
 */
export function createSecondReader(indexed: IndexedTree): SecondReader {
  let running: { readonly thread: Worker; readonly memory: SharedArrayBuffer } | undefined;

  return {
    patienceMs: PATIENCE_MS,
    start() {
      running ??= launched(indexed);
      return running.memory;
    },
    stop() {
      if (running === undefined) return;
      const control = new Int32Array(running.memory);
      running = undefined;
      Atomics.store(control, CONTROL.quit, 1);
      // Another value, so that it does not fall asleep on the old one.
      Atomics.add(control, CONTROL.asked, 1);
      Atomics.notify(control, CONTROL.asked);
    },
  };
}

function launched(indexed: IndexedTree): { readonly thread: Worker; readonly memory: SharedArrayBuffer } {
  const memory = slotMemory();
  const thread = startThread(import.meta.url, './read-thread', {
    workerData: { indexed, memory } satisfies ReadThreadData,
    name: 'index-read',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  // What it has not done is done without it.
  thread.on('error', () => undefined);
  thread.unref();
  return { thread, memory };
}
