import type { Worker } from 'node:worker_threads';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { Ed25519 } from '../../core/ports/index.ts';
import { startThread } from '../threads/thread-entry.ts';
import { type Answer, type Operation, packRequest, requestBytes, unpackReply } from './batch.ts';
import { assertPublicKey, assertSecretKey, isSignature } from './lengths.ts';

export interface CryptoPoolOptions {
  /** One thread does about ten thousand verify+sign pairs a second; more than two help nobody. */
  readonly threads?: number;
  /** `best`: libsodium, else node:crypto. */
  readonly library?: ThreadSetup['library'];
  /** Starts one thread; a parameter so that a test can hold the thread and end it. */
  readonly startWorker?: (setup: ThreadSetup) => Worker;
}

/** What a crypto thread is told at birth. */
export interface ThreadSetup {
  readonly library: 'best' | 'node';
}

/** Ed25519 in threads of its own. Calls before `start` wait for it; calls after `stop` are refused. */
export interface CryptoPool extends Ed25519, Lifecycle {
  /** The library that the threads found; undefined before `start`. */
  readonly library: string | undefined;
}

interface Pending {
  readonly operation: Operation;
  settle(answer: Answer): void;
  reject(error: unknown): void;
}

interface Slot {
  readonly worker: Worker;
  /** Batches that the thread has and has not answered, oldest first. */
  readonly inFlight: Pending[][];
}

/** Two, so that a thread has work while the main thread reads its reply. */
const BATCHES_IN_FLIGHT = 2;
const MAX_BATCH_OPERATIONS = 256;
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Signs and verifies in worker threads. All requests of one turn of the event loop travel as one message, and so do
 * their answers: per operation the main thread pays two copies of a few hundred bytes and a promise.
 *
 * A thread that dies fails the operations that it held (WritError INTERNAL) and is replaced.
 */
export function createCryptoPool({ threads = 1, library = 'best', startWorker = startCryptoThread }: CryptoPoolOptions = {}): CryptoPool {
  const slots = new Set<Slot>();
  let queue: Pending[] = [];
  let scheduled = false;
  let found: string | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;

  async function spawn(): Promise<void> {
    const worker = startWorker({ library });
    found = await firstMessage(worker);
    if (stopping !== undefined) return void (await worker.terminate());
    const slot: Slot = { worker, inFlight: [] };
    worker.on('message', (reply: ArrayBuffer) => answer(slot, reply));
    worker.on('error', (error) => died(slot, error));
    worker.on('exit', () => died(slot, new Error('the thread ended')));
    slots.add(slot);
    schedule();
  }

  async function spawnAll(): Promise<void> {
    const results = await Promise.allSettled(Array.from({ length: threads }, spawn));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw new WritError('INTERNAL', `no crypto thread starts: ${messageOf(failed.reason)}`, { cause: failed.reason });
  }

  function enqueue(pending: Pending): void {
    if (stopping !== undefined) {
      pending.reject(new WritError('INTERNAL', 'the crypto pool has stopped'));
    } else {
      queue.push(pending);
      schedule();
    }
  }

  function schedule(): void {
    if (scheduled || queue.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  }

  function dispatch(): void {
    const free = [...slots].filter((slot) => slot.inFlight.length < BATCHES_IN_FLIGHT).sort((a, b) => a.inFlight.length - b.inFlight.length);
    for (const [index, slot] of free.entries()) {
      if (queue.length === 0) return;
      const batch = takeBatch(Math.ceil(queue.length / (free.length - index)));
      slot.inFlight.push(batch);
      const request = packRequest(batch.map(({ operation }) => operation));
      slot.worker.postMessage(request.buffer, [request.buffer]);
    }
  }

  function takeBatch(fairShare: number): Pending[] {
    let count = 0;
    let bytes = 0;
    for (const { operation } of queue) {
      bytes += requestBytes(operation);
      if (count > 0 && (count >= Math.min(fairShare, MAX_BATCH_OPERATIONS) || bytes > MAX_BATCH_BYTES)) break;
      count += 1;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    return batch;
  }

  function answer(slot: Slot, reply: ArrayBuffer): void {
    const batch = slot.inFlight.shift() ?? [];
    const answers = unpackReply(
      new Uint8Array(reply),
      batch.map(({ operation }) => operation),
    );
    for (const [index, pending] of batch.entries()) pending.settle(answers[index] ?? false);
    if (queue.length > 0) dispatch();
    else if (idle()) onIdle?.();
  }

  function died(slot: Slot, cause: Error): void {
    if (!slots.delete(slot)) return;
    for (const pending of slot.inFlight.flat()) pending.reject(new WritError('INTERNAL', `a crypto thread died: ${messageOf(cause)}`, { cause }));
    if (stopping === undefined) return void spawn().catch(failQueue);
    failQueue(cause);
    if (idle()) onIdle?.();
  }

  /** No thread can be had any more; nobody may wait for ever. */
  function failQueue(cause: unknown): void {
    if (slots.size > 0) return;
    for (const pending of queue.splice(0)) pending.reject(new WritError('INTERNAL', `no crypto thread starts: ${messageOf(cause)}`, { cause }));
  }

  function idle(): boolean {
    return queue.length === 0 && [...slots].every((slot) => slot.inFlight.length === 0);
  }

  async function drainAndEnd(): Promise<void> {
    await starting?.catch(() => undefined);
    if (slots.size === 0) failQueue(new Error('the pool stops'));
    if (!idle()) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    const ending = [...slots];
    slots.clear();
    await Promise.all(ending.map((slot) => slot.worker.terminate()));
  }

  const pool: CryptoPool = {
    get library() {
      return found;
    },
    sign: (message, key) =>
      new Promise((resolve, reject) => {
        assertSecretKey(key);
        const settle = (result: Answer): void =>
          result instanceof Uint8Array ? resolve(result) : reject(new WritError('INTERNAL', 'a crypto thread gave no signature'));
        enqueue({ operation: { kind: 'sign', message, key }, settle, reject });
      }),
    verify: (message, signature, key) =>
      new Promise((resolve, reject) => {
        assertPublicKey(key);
        if (!isSignature(signature)) return resolve(false);
        enqueue({ operation: { kind: 'verify', message, key, signature }, settle: (result) => resolve(result === true), reject });
      }),
    start() {
      starting ??= stopping ?? spawnAll();
      return starting;
    },
    stop() {
      stopping ??= drainAndEnd();
      return stopping;
    },
    [Symbol.asyncDispose]: () => pool.stop(),
  };
  return pool;
}

function startCryptoThread(setup: ThreadSetup): Worker {
  return startThread(import.meta.url, './crypto-thread', { workerData: setup });
}

/** Resolves with what a new thread says first; rejects when it dies before. */
function firstMessage(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once('message', (name: string) => {
      worker.removeAllListeners('error').removeAllListeners('exit');
      resolve(name);
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new WritError('INTERNAL', 'a crypto thread ended before it was ready')));
  });
}
