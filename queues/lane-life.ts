import type { Job, Queue, WorkerOptions } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { LockTimes } from './catalog.ts';
import { TolerantWorker } from './tolerant-worker.ts';

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
  readonly settings: Omit<WorkerOptions, 'connection'>;
  readonly onError: (error: Error) => void;
  /** Does a job. The signal fires when the lane stops, which then waits for it. */
  readonly run: (job: Job<unknown>, token: string | undefined, handle: H, signal: AbortSignal) => Promise<unknown>;
}

/**
 * The life of a lane: from its start on jobs are handed to the handler that was named before. A lane without one only submits.
 *
 * @throws TypeError at the start when there is a handler and no connection for its worker
 */
export function laneLife<H>({ queue, connection, settings, onError, run }: LaneWork<H>): Lifecycle & { process(handle: H): void } {
  let handler: H | undefined;
  let worker: TolerantWorker | undefined;
  let stop = new AbortController();
  const life = lifecycle(
    async () => {
      const handle = handler;
      if (handle === undefined) return;
      if (connection === undefined) throw new TypeError('a lane that processes needs a connection for its worker');
      stop = new AbortController();
      const { signal } = stop;
      worker = new TolerantWorker(queue.name, (job, token) => run(job, token, handle, signal), { ...settings, connection });
      worker.on('error', onError);
      await worker.waitUntilReady();
    },
    async () => {
      stop.abort('shutdown');
      await worker?.close();
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
