import type { TaskJob } from '../../../../src/contracts/index.ts';
import type { Clock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import type { Enqueue, JobState, Ledger, Receipt } from '../../../../src/core/ports/index.ts';

export interface StoredJob {
  job: TaskJob;
  state: JobState;
  failedReason: string | undefined;
}

export interface QueueTwin {
  readonly enqueue: Enqueue;
  /** Task id → its job. */
  readonly jobs: Map<string, StoredJob>;
  /** The ids of every `pushMany`. */
  readonly pushed: string[][];
}

/** The queues in memory: one job per task, accepted, in flight, retried or finished as the real door says it. */
export function createQueueTwin(ledger: Ledger, clock: Clock, onPush: (taskId: string) => void): QueueTwin {
  const jobs = new Map<string, StoredJob>();
  const pushed: string[][] = [];
  const push = async (job: TaskJob): Promise<Receipt> => {
    const taskId = job.manifest.task_id;
    const place = { taskId, queue: 'file', jobId: `t_${taskId}` };
    if (JSON.stringify(job).length > 200_000) throw new WritError('INVALID_MANIFEST', 'the job is too large');
    const row = await ledger.row(taskId);
    const known = jobs.get(taskId);
    const sha = manifestSha256(job.manifest);
    if (row && row.manifestSha256 !== '' && row.manifestSha256 !== sha) return { kind: 'conflict', taskId };
    if (row?.state === 'success') return { kind: 'finished', taskId, result: row.result ?? '' };
    if (known && known.state !== 'failed') return { kind: 'in-flight', ...place };
    jobs.set(taskId, { job, state: 'waiting', failedReason: undefined });
    onPush(taskId);
    return { kind: known ? 'retried' : 'accepted', ...place };
  };
  const enqueue: Enqueue = {
    push,
    async pushMany(many) {
      pushed.push(many.map(({ manifest }) => manifest.task_id));
      const receipts: Receipt[] = [];
      for (const job of many) receipts.push(await push(job));
      return receipts;
    },
    async retry(taskId, { lease } = {}) {
      const known = jobs.get(taskId);
      if (!known) return { kind: 'not-found' };
      if (known.state !== 'failed') return { kind: 'wrong-state', state: known.state };
      jobs.set(taskId, { job: { ...known.job, ...(lease === undefined ? {} : { lease }) }, state: 'waiting', failedReason: undefined });
      onPush(taskId);
      return { kind: 'retried' };
    },
    async jobState(taskId) {
      const known = jobs.get(taskId);
      return (
        known && {
          queue: 'file',
          jobId: `t_${taskId}`,
          state: known.state,
          data: known.job,
          failedReason: known.failedReason,
          attemptsMade: 0,
          addedAt: clock.now(),
        }
      );
    },
  };
  return { enqueue, jobs, pushed };
}
