import { type Job, WaitingError } from 'bullmq';
import { z } from 'zod';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { type IndexActivity, IndexTaskKind, Sha256Hex } from '../src/contracts/index.ts';
import { messageOf } from '../src/core/errors.ts';
import { createKeyedMutex } from '../src/core/keyed-mutex.ts';
import type { IndexTask, IndexTaskHandler, MaintenanceLane } from '../src/core/ports/index.ts';
import { indexQueueName, LOCK_TIMES, QUEUE_PREFIX, RETENTION, workerOptions } from './catalog.ts';
import { standInReason } from './job-bounds.ts';
import { type LaneOptions, laneLife } from './lane-life.ts';
import { openQueue } from './open-queue.ts';
import { withoutStack } from './without-stack.ts';

export interface IndexLaneOptions extends LaneOptions {
  /** Told of each task that failed. */
  readonly onFailed?: (task: IndexTask, job: string, error: unknown) => void;
}

/**
 * Tasks in work and those that wait for their root's turn, each a job that is active. There are six kinds of task, each waits
 * once for each root, and there are at most 1000 indexes: this many never keep a task of another root from being seen.
 */
const AT_ONCE = 6 * 1000;

/** A task that took its host with it this often is given up; the host's own pass at its start covers it. */
const MAX_LOSSES = 10;

/**
 * The lane on BullMQ's queue `index-maintenance`. One host per pool takes from it (that is what the lock of its directory is
 * for), so the turns of a root are kept in its process. A task of a host that was killed is given again within 12 s.
 */
export function createIndexLane(options: IndexLaneOptions): MaintenanceLane {
  const { pool, connection, newId, locks = LOCK_TIMES, guard, onFailed = () => undefined, onError = () => undefined } = options;
  const queue = openQueue(indexQueueName(pool), QUEUE_PREFIX, connection);
  const turns = createKeyedMutex();

  const run = async (job: Job<unknown>, token: string | undefined, handle: IndexTaskHandler, signal: AbortSignal): Promise<void> => {
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

  const settings = { ...workerOptions(locks, AT_ONCE), maxStalledCount: MAX_LOSSES };
  return {
    ...laneLife({ queue, connection: options.worker, settings, onError, run }),
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

/** The data of a job of the queue `index-maintenance`. */
const IndexJobData = z.strictObject({ v: z.literal(1), key_hash: Sha256Hex, kind: IndexTaskKind, reason: z.string().max(200) });

type ReadIndexJob = { readonly ok: true; readonly task: IndexTask } | { readonly ok: false; readonly message: string };

/** Whoever can write to Redis can put anything there: the worst that a well-formed job does is work on an index. */
function readIndexJob({ data }: { readonly data: unknown }): ReadIndexJob {
  const parsed = IndexJobData.safeParse(data);
  if (!parsed.success) return { ok: false, message: `INVALID_MANIFEST: ${standInReason(data) ?? 'the job is no maintenance task'}` };
  const { key_hash: keyHash, kind, reason } = parsed.data;
  return { ok: true, task: { keyHash, kind, reason } };
}
