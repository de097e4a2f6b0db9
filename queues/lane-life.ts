import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job, Queue, Worker } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { LockTimes } from './catalog.ts';
import { TolerantWorker, type TolerantWorkerOptions } from './tolerant-worker.ts';

/**
 * Waits until a worker has met Redis, as long as it takes, and no longer than until it is stopped.
 *
 * @throws Error when it was stopped before
 */
export async function readyUnlessStopped(worker: Worker, stopped: AbortSignal): Promise<void> {
  const over = new AbortController();
  const stop = once(stopped, 'abort', { signal: over.signal }).then(() => Promise.reject(new Error('it was stopped while it started')));
  try {
    await Promise.race([worker.waitUntilReady(), stop]);
  } finally {
    over.abort();
    stop.catch(() => undefined);
  }
}

/** What every lane is told. */
export interface LaneOptions {
  readonly pool: string;
  /** For submitting and looking; the owner closes it. */
  readonly connection: RedisConnection;
  /** For the worker, of the kind `worker`; needed where the lane processes. The owner closes it. */
  readonly worker?: RedisConnection;
  /** Makes the id of a job: letters and digits. */
  readonly newId: () => string;
  readonly locks?: LockTimes;
  /** Refuses new work when Redis is nearly full. */
  readonly guard?: { check(): Promise<void> };
  /** Errors of the connection and of BullMQ itself. */
  readonly onError?: (error: Error) => void;
}

interface LaneWork<H> {
  /** The lane's; it is closed at the end. */
  readonly queue: Queue;
  readonly connection: RedisConnection | undefined;
  readonly settings: Omit<TolerantWorkerOptions, 'connection'>;
  readonly onError: (error: Error) => void;
  /** Does a job. The signal fires when the lane stops, which then waits for it. */
  readonly run: (job: Job<unknown>, token: string | undefined, handle: H, signal: AbortSignal) => Promise<unknown>;
  /** How long a stopping lane waits for Redis when no job is in hand any more. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 5000;

/**
 * The life of a lane: from its start on jobs are handed to the handler that was named before. A lane without one only submits.
 *
 * @throws TypeError at the start when there is a handler and no connection for its worker
 */
export function laneLife<H>({ queue, connection, settings, onError, run, patienceMs = PATIENCE_MS }: LaneWork<H>): Lifecycle & { process(handle: H): void } {
  let handler: H | undefined;
  let worker: TolerantWorker | undefined;
  let hasTaken = false;
  let stop = new AbortController();
  const inHand = new Set<Promise<unknown>>();
  const life = lifecycle(
    async () => {
      const handle = handler;
      if (handle === undefined) return;
      if (connection === undefined) throw new TypeError('a lane that processes needs a connection for its worker');
      stop = new AbortController();
      const { signal } = stop;
      hasTaken = false;
      worker = new TolerantWorker(queue.name, (job, token) => held(inHand, run(job, token, handle, signal)), { ...settings, connection });
      worker.on('error', onError);
      await readyUnlessStopped(worker, signal);
      hasTaken = true;
    },
    async () => {
      stop.abort('shutdown');
      // A worker that has not met Redis yet holds nothing that is worth waiting for.
      if (worker) await ended(worker, inHand, hasTaken ? patienceMs : 0);
      worker = undefined;
      await queue.close();
    },
  );
  return {
    ...life,
    process(handle) {
      handler = handle;
    },
  };
}

async function held<T>(among: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  among.add(work);
  try {
    return await work;
  } finally {
    among.delete(work);
  }
}

/**
 * BullMQ's own end waits until Redis has taken the outcome of the last job, however long Redis is away. Nothing of ours
 * runs then; the job is given to another worker when its lock ends, and BullMQ lets go when the owner closes the connection.
 */
async function ended(worker: TolerantWorker, inHand: ReadonlySet<Promise<unknown>>, patienceMs: number): Promise<void> {
  const closed = new AbortController();
  const { signal } = closed;
  const patience = async (): Promise<void> => {
    await Promise.allSettled(inHand);
    await delay(patienceMs, undefined, { signal }).catch(() => undefined);
  };
  try {
    await Promise.race([worker.close(), patience()]);
  } finally {
    closed.abort();
  }
}
