import type { FinishedTask } from './executor.ts';

/** A claim names the job that makes it; the same job claiming again is a takeover. */
export interface ClaimRequest {
  readonly taskId: string;
  readonly manifestSha256: string;
  /** `<queue>:<jobId>` of the BullMQ job. */
  readonly jobKey: string;
  /** The worker process. */
  readonly instance: string;
  /** Lease expiry, seconds since 1970; the row outlives it by the retention. */
  readonly exp: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Take over a claim of exactly this instance, known to be dead. */
  readonly deadInstance?: string | undefined;
  /** This process works on the task already: grant nothing. */
  readonly look?: boolean;
  /** A FAILURE of another job's run is the answer to this one, too: it was parked until that run ended. Not one of that job's own lease. */
  readonly waited?: boolean;
  /** The task is a step of a plan: each FAILURE is its answer, but that its lease ran out, which the plan does not see. */
  readonly isStep?: boolean;
  /** Which ask the job stands for (docs/protocol.md section 2): a FAILURE that was recorded for it is its answer. Not compared without. */
  readonly wish?: string;
}

/** Answers of `claim`; `docs/protocol.md` has the table. `crashes`: deliveries that crashed since the last record; absent for none. */
export type ClaimAnswer =
  /** Run it: never finished, or finished with FAILURE and claimed again. */
  | { readonly kind: 'new'; readonly epoch: number; readonly crashes?: number }
  /** Run it: an earlier claim ended without a record. `takeovers` counts the workers lost since the last record. */
  | { readonly kind: 'takeover'; readonly epoch: number; readonly takeovers: number; readonly crashes?: number }
  /** A SUCCESS is recorded; the exact signed result. */
  | { readonly kind: 'finished'; readonly result: string }
  /** A FAILURE that answers a job which has `waited`, or the very ask for which it was recorded; the exact signed result. */
  | { readonly kind: 'failed'; readonly result: string }
  /** The id belongs to another manifest. */
  | { readonly kind: 'conflict' }
  /** Another job holds the claim. */
  | { readonly kind: 'busy'; readonly owner: string }
  /** A cancel was asked before the claim; the claim is granted so that the refusal can be recorded. */
  | { readonly kind: 'cancelled'; readonly epoch: number }
  /** The generation marker is gone: rows may be missing. Nothing was claimed. */
  | { readonly kind: 'lost' };

export interface RecordRequest {
  readonly taskId: string;
  readonly epoch: number;
  /** Instance of the claim. After a loss of Redis epochs begin anew: then the epoch alone may be another's. Not compared without. */
  readonly owner?: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly errorCode: string | undefined;
  /** The exact signed result, JSON text. */
  readonly result: string;
  readonly now: number;
  /** Which ask the job stands for; those of the youngest FAILUREs are kept. Names of asks are as long as each other. */
  readonly wish?: string;
  /** A job may run the task again though nobody asks anew: a cancel that was asked meanwhile is not answered yet, and ends that attempt. */
  readonly goesOn?: boolean;
}

/**
 * `awaited`: recorded, and jobs are parked for it. `stale`: a later claim exists, nothing was written. `lost`: the row or
 * marker is gone, nothing was written.
 */
export type RecordAnswer = 'recorded' | 'awaited' | 'stale' | 'lost';

/** `damaged`: something lies under the task's key that no worker has written. */
export type TaskState = 'waiting' | 'running' | 'success' | 'failure' | 'damaged';

/** A row as it lies in Redis. Nothing in it is proved: a result counts when it verifies (`ResultReader`), the rest are hints. */
export interface TaskRow {
  readonly state: TaskState;
  /** Empty until the first claim. */
  readonly manifestSha256: string;
  readonly epoch: number;
  readonly takeovers: number;
  readonly crashes: number;
  readonly owner: string;
  /** Of the last claim, also when it has ended. */
  readonly jobKey: string;
  readonly exp: number;
  readonly cancelRequested: boolean;
  readonly errorCode: string | undefined;
  /** The last outcome, signed, SUCCESS or FAILURE. */
  readonly result: string | undefined;
  /** Milliseconds since 1970 of the last change. */
  readonly updated: number;
}

/** `done`: finished with SUCCESS, too late. `requested`: flag set; the outcome decides. */
export type CancelAnswer = 'done' | 'requested';

/**
 * The once-per-task_id ledger shared by all workers (design 4). For file tasks it is a cache of the journal.
 * One conformance suite (`test/conformance/ledger.ts`) runs against every implementation.
 */
export interface Ledger {
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  record(request: RecordRequest): Promise<RecordAnswer>;
  /**
   * Gives the claim back without an outcome (shutdown, lock loss, busy host). Stale epochs are ignored, and so are the claims of others.
   *
   * @param owner instance of the claim, as in `RecordRequest`
   */
  release(taskId: string, epoch: number, why?: 'crashed', owner?: string): Promise<void>;
  /** Stores an answer that never touches the task's row: a refusal before authentication, a conflict. */
  refuse(taskId: string, jobKey: string, result: string): Promise<void>;
  refusal(taskId: string, jobKey: string): Promise<string | undefined>;
  cancel(taskId: string, now: number): Promise<CancelAnswer>;
  /**
   * Forgets a cancel that no run has answered, before a retry or re-push. A task that is being worked on keeps its
   * cancel; a row that held nothing else goes.
   */
  clearCancel(taskId: string, now: number): Promise<void>;
  row(taskId: string): Promise<TaskRow | undefined>;
  /** Whether any of these tasks has a row: one question for all of them. */
  knowsAny(taskIds: readonly string[]): Promise<boolean>;
  /** Forgets a row that claims an outcome with exactly this text, which does not verify: Redis is not trusted. */
  discard(taskId: string, result: string): Promise<void>;
  /** Writes finished rows back from a journal; never overwrites a SUCCESS row. */
  restore(rows: readonly FinishedTask[], now: number): Promise<void>;
  /**
   * Notes that a job waits for the end of a task or plan (`docs/protocol.md` section 4, Duplicates). A note is a hint: it
   * may be lost, and the job comes back by itself.
   *
   * @param started how often the job was started
   * @returns how many jobs wait
   */
  park(id: string, jobKey: string, started: number, now: number): Promise<number>;
  /** Forgets the note of a job that is here again. False when there was none, or the job was added or retried anew since. */
  unpark(id: string, jobKey: string, started: number): Promise<boolean>;
  /** Job keys of those that wait, some at a time. */
  parked(id: string): AsyncIterable<readonly string[]>;
  /** Sets the missing generation markers, after everything that this host knows has been restored. */
  markGeneration(generation: string): Promise<void>;
}

/** Which worker processes are alive. */
export interface Presence {
  beat(instance: string, ttlMs: number): Promise<void>;
  gone(instance: string): Promise<void>;
  isAlive(instance: string): Promise<boolean>;
}

/** Tells a waiting caller that an outcome was recorded, and a running worker that a cancel was asked. Lossy: callers also look. */
export interface TaskSignals {
  onRecorded(taskId: string, listener: () => void): Promise<() => Promise<void>>;
  onCancel(listener: (taskId: string) => void): Promise<() => Promise<void>>;
}
