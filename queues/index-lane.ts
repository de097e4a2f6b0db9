import { type Job, WaitingError } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import type { IndexActivity } from '../src/contracts/index.ts';
import { messageOf } from '../src/core/errors.ts';
import { part } from '../src/core/parts.ts';
import type { IndexTask, IndexTaskHandler, MaintenanceLane } from '../src/core/ports/index.ts';
import { createTurns } from '../src/core/turns.ts';
import { indexQueueName, LOCK_TIMES, type LockTimes, QUEUE_PREFIX, RETENTION, workerOptions } from './catalog.ts';
import { readIndexJob } from './index-job.ts';
import { openQueue } from './open-queue.ts';
import { TolerantWorker } from './tolerant-worker.ts';
import { withoutStack } from './without-stack.ts';

export interface IndexLaneOptions {
  readonly pool: string;
  /** For submitting; the owner closes it. */
  readonly connection: RedisConnection;
  /** For the worker, of the kind `worker`; needed where the lane processes. The owner closes it. */
  readonly worker?: RedisConnection;
  /** Makes the id of a job: letters and digits. */
  readonly newId: () => string;
  readonly locks?: LockTimes;
  /** Refuses new work when Redis is nearly full. */
  readonly guard?: { check(): Promise<void> };
  /** Told of each task that failed. */
  readonly onFailed?: (task: IndexTask, job: string, error: unknown) => void;
  /** Errors of the connection and of BullMQ itself. */
  readonly onError?: (error: Error) => void;
}

/**
 * Tasks in work and those that wait for their root's turn, each a job that is active. There are six kinds of task, each waits
 * once for each root, and there are at most 1000 indexes: this many never keep a task of another root from being seen.
 */
const AT_ONCE = 6 * 1000;

/** A task that took its host with it this often is given up; the host's own pass at its start covers it. */
const MOST_LOSSES = 10;

/**
 * The lane on BullMQ's queue `index-maintenance`. One host per pool takes from it (that is what the lock of its directory is
 * for), so the turns of a root are kept in its process. A task of a host that was killed is given again within 12 s.
 */
export function createIndexLane(options: IndexLaneOptions): MaintenanceLane {
  const { pool, connection, newId, locks = LOCK_TIMES, guard, onFailed = () => undefined, onError = () => undefined } = options;
  const name = indexQueueName(pool);
  const queue = openQueue(name, QUEUE_PREFIX, connection);
  const turns = createTurns();
  let handler: IndexTaskHandler | undefined;
  let worker: TolerantWorker | undefined;
  let stop = new AbortController();

  const run = async (job: Job<unknown>, token: string | undefined, handle: IndexTaskHandler): Promise<void> => {
    const { signal } = stop;
    const read = readIndexJob(job);
    if (!read.ok) throw withoutStack(new Error(read.message));
    const { task } = read;
    await turns(task.keyHash, async () => {
      if (signal.aborted) return putBack(job, token);
      // From here on an equal task is another one: it is done after this.
      await job.removeDeduplicationKey();
      try {
        await handle(task, job.id ?? '', signal, progressOf(job, onError));
      } catch (error) {
        // Cut short, not failed: the next host does it again.
        if (signal.aborted) return putBack(job, token);
        onFailed(task, job.id ?? '', error);
        throw withoutStack(new Error(messageOf(error)));
      }
    });
  };

  const life = part(
    async () => {
      const handle = handler;
      if (handle === undefined) return;
      if (options.worker === undefined) throw new TypeError('a lane that processes needs a connection for its worker');
      stop = new AbortController();
      worker = new TolerantWorker(name, (job, token) => run(job, token, handle), {
        ...workerOptions(locks, AT_ONCE),
        maxStalledCount: MOST_LOSSES,
        connection: options.worker,
      });
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
    submit: (task) =>
      redisCall(async () => {
        await guard?.check();
        const id = `m_${newId()}`;
        const data = { v: 1, key_hash: task.keyHash, kind: task.kind, reason: task.reason };
        const job = await queue.add(task.kind, data, { jobId: id, deduplication: { id: `${task.keyHash}.${task.kind}` }, ...RETENTION });
        return { job: job.id ?? id, joined: job.id !== id };
      }),
  };
}

/** A build tells of every group of files; a job is written once a second. */
const PROGRESS_EVERY_MS = 1000;

function progressOf(job: Job<unknown>, onError: (error: Error) => void): (activity: IndexActivity) => void {
  let told = Number.NEGATIVE_INFINITY;
  return ({ phase, done, total }) => {
    if (performance.now() - told < PROGRESS_EVERY_MS) return;
    told = performance.now();
    job.updateProgress({ phase, done, total }).catch(onError);
  };
}

/** Back among those that wait; refused when the lock is no longer ours, and then it is given to somebody else already. */
async function putBack(job: Job<unknown>, token: string | undefined): Promise<never> {
  await job.moveToWait(token).catch(() => undefined);
  throw new WaitingError();
}
