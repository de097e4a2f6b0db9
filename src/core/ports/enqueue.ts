import type { TaskJob } from '../../contracts/index.ts';

/** Where a task's job stands in its queue; `absent` when BullMQ does not know it (any more). */
export type JobState = 'absent' | 'waiting' | 'delayed' | 'active' | 'completed' | 'failed';

export interface PushOptions {
  /** Total number of tries for retryable codes; 1 unless asked for. */
  readonly attempts?: number;
  /** Queue including its pool; unless given, the capability's queue in the configured pool, or for a call of a tool the one that its lease names. */
  readonly queue?: string;
  /** Milliseconds since 1970 before which no worker takes the job, at most 366 days ahead; the past is now. */
  readonly notBefore?: number;
  /** BullMQ's: 0 (as without) is taken before every other, 1 before 2, at most 2,097,152. */
  readonly priority?: number;
}

/** What became of a push. `queue` and `jobId` name the BullMQ job. */
export type Receipt =
  /** A job was added. */
  | { readonly kind: 'accepted'; readonly taskId: string; readonly queue: string; readonly jobId: string }
  /** The same task waits or runs already. */
  | { readonly kind: 'in-flight'; readonly taskId: string; readonly queue: string; readonly jobId: string }
  /** The failed job got the new lease and runs again. */
  | { readonly kind: 'retried'; readonly taskId: string; readonly queue: string; readonly jobId: string }
  /** Finished with SUCCESS; `result` is the stored ExecutionResult, whose signature was verified. */
  | { readonly kind: 'finished'; readonly taskId: string; readonly result: string }
  /** The id belongs to another manifest: a signed result of that one says so, or its job waits. */
  | { readonly kind: 'conflict'; readonly taskId: string };

/** One task's BullMQ job. `data` is what a producer wrote: not trusted. */
export interface JobView {
  readonly queue: string;
  readonly jobId: string;
  /** What names it in the ledger; `<queue>:<jobId>` where it is absent. */
  readonly key?: string;
  readonly state: JobState;
  /** It waits in a queue that is paused: no worker takes it. */
  readonly queuePaused?: true;
  readonly data: unknown;
  readonly failedReason: string | undefined;
  readonly attemptsMade: number;
  /** Milliseconds since 1970 of the add. */
  readonly addedAt: number;
  /** Milliseconds since 1970 before which its producer did not want it to begin. */
  readonly notBefore?: number;
}

export interface RetryOptions {
  /** Replaces the job's lease (re-grant). */
  readonly lease?: string;
  readonly queue?: string;
  /** Of a job with an id of its own; it must carry the task. */
  readonly jobId?: string;
}

/** `wrong-state`: there is a job, but it has not failed. */
export type RetryAnswer = { readonly kind: 'retried' } | { readonly kind: 'not-found' } | { readonly kind: 'wrong-state'; readonly state: JobState };

/**
 * The way onto the queues for all our producers; the only maker of job ids.
 * Throws WritError INVALID_MANIFEST (job too large), REDIS_FULL, REDIS_UNAVAILABLE.
 */
export interface Enqueue {
  push(job: TaskJob, options?: PushOptions): Promise<Receipt>;
  /** Receipts in the order of the jobs. Await one call before the next: that is the back-pressure. */
  pushMany(jobs: readonly TaskJob[], options?: PushOptions): Promise<readonly Receipt[]>;
  /** Runs a failed job again with its full attempt budget; a cancel that is still pending is forgotten. */
  retry(taskId: string, options?: RetryOptions): Promise<RetryAnswer>;
  /**
   * `undefined` when no queue has a job of this task. Without a queue also a job with an id of its own is found: the one
   * that worked on the task last.
   *
   * @param jobId of a job with an id of its own; it must carry the task
   */
  jobState(taskId: string, queue?: string, jobId?: string): Promise<JobView | undefined>;
}
