import type { Worker } from 'node:worker_threads';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { Ed25519 } from '../../core/ports/index.ts';
import { createThreadClient, type ThreadClient } from '../threads/client.ts';
import { startThread } from '../threads/thread-entry.ts';
import { type Answer, type Operation, packRequest, requestBytes, unpackReply } from './batch.ts';
import { carryOut, libraryOf } from './inline.ts';
import { assertPublicKey, assertSecretKey, isSignature } from './lengths.ts';
import type { SyncEd25519 } from './sync.ts';

export interface CryptoPoolOptions {
  /** One thread does about ten thousand verify+sign pairs a second; more than two help nobody. */
  readonly threads?: number;
  /** `best`: libsodium, else node:crypto. */
  readonly library?: ThreadSetup['library'];
  /** Starts one thread; a parameter so that a test can hold the thread and end it. */
  readonly startWorker?: (setup: ThreadSetup) => Worker;
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number;
}

/** What a crypto thread is told at birth. */
export interface ThreadSetup {
  readonly library: 'best' | 'node';
}

/** Ed25519 in threads of its own. Calls before `start` wait for it; calls after `stop` are refused. */
export interface CryptoPool extends Ed25519, Lifecycle {
  /** The library that was found; undefined before `start`. */
  readonly library: string | undefined;
}

interface Pending {
  readonly operation: Operation;
  settle(answer: Answer): void;
  reject(error: unknown): void;
}

/** What a thread answers: a packed batch (batch.ts) with a packed reply; what it tells when it has started is its library. */
export interface CryptoCalls {
  run(batch: ArrayBuffer): ArrayBuffer;
}

type Thread = ThreadClient<CryptoCalls, string>;

/** Two, so that a thread has work while the main thread reads its reply. */
const BATCHES_IN_FLIGHT = 2;
/** What is done at once in so many milliseconds, while no thread was needed for as long: a thread's answer takes longer than such a call. */
const AT_ONCE = 2;
const QUIET_MS = 5;
const AT_ONCE_BYTES = 16 * 1024;
const MAX_BATCH_OPERATIONS = 256;
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Signs and verifies in worker threads. All requests of one turn of the event loop travel as one message, and so do
 * their answers: per operation the main thread pays two copies of a few hundred bytes and a promise.
 *
 * A small request that comes when little is asked for is carried out at once on the calling thread. Not so under load: there
 * those who were answered together go on together, and share the writes of all that follows.
 *
 * The threads start when the first call needs one, which waits for that: most roles sign now and then, and a thread costs a
 * tenth of their start (D380). A thread that dies fails the operations that it held (WritError INTERNAL) and is replaced;
 * so do calls for which no thread starts, and the next one tries again.
 */
export function createCryptoPool({
  threads = 1,
  library = 'best',
  startWorker = startCryptoThread,
  now = () => performance.now(),
}: CryptoPoolOptions = {}): CryptoPool {
  const running = new Set<Thread>();
  let queue: Pending[] = [];
  let scheduled = false;
  let found: string | undefined;
  let starting: Promise<void> | undefined;
  let launching: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;
  let here: SyncEd25519 | undefined;
  let atOnce = 0;
  let atOnceSince = Number.NEGATIVE_INFINITY;
  let queuedAt = Number.NEGATIVE_INFINITY;

  async function spawn(): Promise<void> {
    const thread: Thread = createThreadClient<CryptoCalls, never, string>({
      launch: () => startWorker({ library }),
      launchedBy: 'start',
      code: 'INTERNAL',
      died: (cause) => (cause instanceof Error ? cause : new Error('the thread ended')),
      onDeath: (cause) => died(thread, cause),
      transfer: ([batch]) => [batch as ArrayBuffer],
    });
    await thread.start();
    // Who waits at the end is still answered.
    if (stopping !== undefined && queue.length === 0) return thread.kill();
    running.add(thread);
    schedule();
  }

  async function launch(): Promise<void> {
    const results = await Promise.allSettled(Array.from({ length: threads }, spawn));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) noThread(failed.reason);
  }

  async function begin(): Promise<void> {
    here = await libraryOf(library);
    found = here.name;
    schedule();
  }

  function enqueue(pending: Pending): void {
    if (stopping !== undefined) {
      pending.reject(new WritError('INTERNAL', 'the crypto pool has stopped'));
    } else if (here !== undefined && mayBeDoneAtOnce(pending.operation)) {
      pending.settle(carryOut(here, pending.operation));
    } else {
      queuedAt = now();
      queue.push(pending);
      schedule();
    }
  }

  function mayBeDoneAtOnce({ message }: Operation): boolean {
    const at = now();
    if (message.length > AT_ONCE_BYTES || at - queuedAt < QUIET_MS || !idle()) return false;
    if (at - atOnceSince >= QUIET_MS) [atOnce, atOnceSince] = [0, at];
    if (atOnce === AT_ONCE) return false;
    atOnce += 1;
    return true;
  }

  function schedule(): void {
    if (queue.length === 0 || here === undefined) return;
    launching ??= launch();
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  }

  function dispatch(): void {
    const free = [...running].filter(({ inFlight }) => inFlight < BATCHES_IN_FLIGHT).sort((a, b) => a.inFlight - b.inFlight);
    for (const [index, thread] of free.entries()) {
      if (queue.length === 0) return;
      void run(thread, takeBatch(Math.ceil(queue.length / (free.length - index))));
    }
  }

  async function run(thread: Thread, batch: readonly Pending[]): Promise<void> {
    const operations = batch.map(({ operation }) => operation);
    try {
      const reply = await thread.call('run', packRequest(operations).buffer);
      const answers = unpackReply(new Uint8Array(reply), operations);
      for (const [index, pending] of batch.entries()) pending.settle(answers[index] ?? false);
      if (queue.length > 0) dispatch();
      else if (idle()) onIdle?.();
    } catch (cause) {
      refuse(batch, 'a crypto thread died', cause);
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

  function died(thread: Thread, cause: Error): void {
    if (!running.delete(thread)) return;
    if (stopping === undefined) return void spawn().catch(noThread);
    noThread(cause);
    if (idle()) onIdle?.();
  }

  /** Nobody may wait for ever; the next call tries again. */
  function noThread(cause: unknown): void {
    if (running.size > 0) return;
    launching = undefined;
    refuse(queue.splice(0), 'no crypto thread starts', cause);
  }

  function idle(): boolean {
    return queue.length === 0 && [...running].every(({ inFlight }) => inFlight === 0);
  }

  async function drainAndEnd(): Promise<void> {
    await starting?.catch(() => undefined);
    await launching;
    if (running.size === 0) noThread(new Error('the pool stops'));
    if (!idle()) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    const ending = [...running];
    running.clear();
    await Promise.all(ending.map((thread) => thread.kill()));
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
      starting ??= stopping ?? begin();
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

function refuse(batch: readonly Pending[], what: string, cause: unknown): void {
  for (const { reject } of batch) reject(new WritError('INTERNAL', `${what}: ${messageOf(cause)}`, { cause }));
}
