import type { TaskManifest } from '../../contracts/index.ts';
import type { Execution } from '../outcome.ts';

/** The lease under which a task runs, as the journal keeps it beside an intent. */
export interface Authority {
  readonly jti: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly kid: string;
}

/** A manifest that may run: authenticated, claimed and authorized. */
export interface Task {
  readonly manifest: TaskManifest;
  readonly manifestSha256: string;
  readonly authority: Authority;
  /** Ledger epoch of this claim. */
  readonly epoch: number;
}

/** What the pipeline hands an executor beside the task. */
export interface RunContext {
  /** Aborted with a `StopReason` as its reason. */
  readonly signal: AbortSignal;
  /**
   * Expiry, revocation, cancel and freshness of the worker's lock, looked at once more. Called synchronously,
   * immediately before an intent is committed; anything but `undefined` means: do not start the effect, answer this.
   */
  readonly gate: () => Execution | undefined;
}

/** What is left of a task whose attempts were trimmed from a journal. */
export interface TrimmedTask {
  readonly manifestSha256: string;
  /** When its last attempt was closed, milliseconds since 1970. */
  readonly closedAt: number;
}

/** How far a portion of a trim came. */
export interface TrimAnswer {
  /** Whose attempts were trimmed. */
  readonly tasks: number;
  /** Where the next portion begins; `undefined`: there is none. */
  readonly last: number | undefined;
}

/** What a host remembers of a task, from its own fsynced journal. It has the last word over the ledger. */
export type Recall =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'finished'; readonly manifestSha256: string /** the exact signed result */; readonly result: string }
  | { readonly kind: 'open'; readonly manifestSha256: string }
  /** It was done, and how it ended is no longer kept (`journal.retention_s`). It must not be done again. */
  | ({ readonly kind: 'trimmed' } & TrimmedTask)
  /**
   * The last attempt failed, and nobody can tell whether its effect happened. It answers again under the lease of that
   * attempt; only a new lease (a person's decision) may try once more.
   */
  | { readonly kind: 'doubtful'; readonly manifestSha256: string; readonly jti: string; readonly result: string };

/**
 * The host's memory of once-only effects. Absent for executors that only read.
 * Order for one task: `recall` → (`open`: `recover`) or (`unknown`: `execute`) → `conclude`.
 */
export interface HostMemory {
  recall(taskId: string): Promise<Recall>;
  /** Finishes an open intent under the authority written in it. `mayRedo` false: classify, never start the effect again. */
  recover(task: Task, context: RunContext, options: { mayRedo: boolean }): Promise<Execution>;
  /**
   * Writes the signed outcome durably; a no-op for an outcome that never opened an intent.
   * A SUCCESS is final from here on.
   */
  conclude(task: Task, status: 'SUCCESS' | 'FAILURE', signedResult: string): Promise<void>;
  /** SUCCESS rows in a stable order, to rebuild a lost ledger. */
  successes(after: string | undefined, limit: number): Promise<readonly FinishedTask[]>;
}

export interface FinishedTask {
  readonly taskId: string;
  readonly manifestSha256: string;
  readonly result: string;
  /** Lease expiry, seconds since 1970: how long the ledger must at least keep the row. */
  readonly exp: number;
}

/** One capability executor: a library that knows no queue, no Redis and no logger. */
export interface TaskExecutor {
  readonly capabilities: ReadonlySet<string>;
  /** Wall-clock limit of one run, milliseconds. */
  readonly maxRunMs: number;
  readonly memory?: HostMemory;
  execute(task: Task, context: RunContext): Promise<Execution>;
}
