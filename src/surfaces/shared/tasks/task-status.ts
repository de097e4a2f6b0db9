import { ExecutionResult } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { JobView, TaskRow } from '../../../core/ports/index.ts';
import type { TaskGateway } from '../../../core/ports/task-gateway.ts';
import { claimsEnd, type FinishedTask, storedOutcome, storedRefusal } from './stored-outcome.ts';

/** Where a task stands, from everything that knows about it (`docs/protocol.md`: three records, each with its rank). */
export type TaskStatus =
  | FinishedTask
  | { readonly state: 'unknown' }
  /** `since`: milliseconds since 1970. */
  | { readonly state: 'waiting'; readonly since: number; readonly detail: string; readonly cancelRequested: boolean; readonly job: JobView | undefined }
  | { readonly state: 'running'; readonly since: number; readonly owner: string; readonly cancelRequested: boolean; readonly job: JobView | undefined }
  /** Something says that the task has ended, and nothing that a trusted executor has signed says how. */
  | { readonly state: 'unproven'; readonly job: JobView | undefined }
  /** The job failed and left no signed result: it was no contract at all. */
  | { readonly state: 'malformed'; readonly message: string; readonly job: JobView };

/**
 * Asks the job first and the row second: a failure that is read after its job is never an older one. What the ledger calls
 * an outcome counts only when an executor that is trusted here has signed it (docs/protocol.md 7).
 */
export async function readTaskStatus(taskId: string, gateway: TaskGateway): Promise<TaskStatus> {
  const job = await gateway.enqueue.jobState(taskId);
  const row = await gateway.ledger.row(taskId);
  const stored = await storedOutcome(taskId, row, job, gateway);
  if (stored?.outcome.status === 'SUCCESS') return stored;
  const memory = await rememberedBy(taskId, gateway, job);
  if (memory) return memory;
  if (row?.state === 'running' && row.owner !== '') {
    return { state: 'running', since: row.updated, owner: row.owner, cancelRequested: row.cancelRequested, job };
  }
  if (job && PENDING.has(job.state)) return pending(job, row, stored);
  if (job?.state === 'failed') return failed(taskId, job, row, stored, gateway);
  // A FAILURE beside a job that has succeeded is an older one that somebody has put back.
  if (job?.state === 'completed') return { state: 'unproven', job };
  if (claimsEnd(row)) return stored ?? { state: 'unproven', job };
  if (row)
    return {
      state: 'waiting',
      since: row.updated,
      detail: row.state === 'waiting' ? 'only a cancel is known' : 'given back by its worker',
      cancelRequested: row.cancelRequested,
      job,
    };
  return { state: 'unknown' };
}

const PENDING: ReadonlySet<string> = new Set(['waiting', 'delayed', 'active']);

/** The journal has the last word where the ledger lost its row. */
async function rememberedBy(taskId: string, gateway: TaskGateway, job: JobView | undefined): Promise<FinishedTask | undefined> {
  const success = (await gateway.journal?.view(taskId))?.success;
  if (!success) return undefined;
  const { result, manifestSha256 } = success;
  const outcome = outcomeOf(result);
  // The job may be gone, and the journal does not keep it: what was signed says it.
  const named = outcome.output?.['capability_id'];
  return { state: 'finished', result, outcome, from: 'journal', manifestSha256, ...(typeof named === 'string' && { capabilityId: named }), job };
}

function pending(job: JobView, row: TaskRow | undefined, stored: FinishedTask | undefined): TaskStatus {
  const cancelRequested = row?.cancelRequested ?? false;
  if (job.state === 'active') return { state: 'running', since: row?.updated ?? job.addedAt, owner: row?.owner ?? '', cancelRequested, job };
  const before = stored?.outcome.error?.error_code;
  const again =
    before !== undefined
      ? `${before} before, waits to run again`
      : job.state === 'delayed'
        ? 'delayed'
        : job.queuePaused
          ? 'in the queue, which is paused'
          : 'in the queue';
  return { state: 'waiting', since: job.addedAt, detail: again, cancelRequested, job };
}

/** A failed job's reason tells whether the row or a refusal is its last outcome. */
async function failed(taskId: string, job: JobView, row: TaskRow | undefined, stored: FinishedTask | undefined, gateway: TaskGateway): Promise<TaskStatus> {
  if (stored && reasonOf(stored.outcome) === job.failedReason) return stored;
  const refusal = await storedRefusal(taskId, job, gateway);
  if (refusal !== undefined && refusal !== 'forged') return refusal;
  if (stored) return stored;
  if (refusal === 'forged' || claimsEnd(row)) return { state: 'unproven', job };
  return { state: 'malformed', message: job.failedReason ?? 'failed without a reason', job };
}

/** As the settle table words it for the queue. */
function reasonOf({ error }: ExecutionResult): string {
  return error === null ? '' : `${error.error_code}: ${error.message}`;
}

function outcomeOf(result: string): ExecutionResult {
  try {
    return ExecutionResult.parse(JSON.parse(result));
  } catch (error) {
    throw new WritError('INVALID_RESULT', 'what the journal has for this task is not an execution result', { cause: error });
  }
}

/** How often a waiter looks by itself: messages about outcomes may be lost. */
const POLL_MS = 1_000;
/** An outcome is recorded a moment before its job is settled; so soon the waiter looks again. */
const SETTLE_MS = 20;

export interface WaitOptions {
  /** Milliseconds; the last status is answered then. */
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
}

/** Waits until the task has a last outcome; answers where it stands then, or at the end of the time. */
export async function waitForOutcome(taskId: string, gateway: TaskGateway, { timeoutMs, signal }: WaitOptions): Promise<TaskStatus> {
  const now = await readTaskStatus(taskId, gateway);
  if (isLast(now) || signal.aborted || timeoutMs <= 0) return now;
  let wake = (): void => {};
  let recorded = false;
  const stop = await gateway.signals.onRecorded(taskId, () => {
    recorded = true;
    wake();
  });
  const deadline = performance.now() + timeoutMs;
  let settling = SETTLE_MS;
  try {
    for (;;) {
      const status = await readTaskStatus(taskId, gateway);
      const left = deadline - performance.now();
      if (isLast(status) || signal.aborted || left <= 0) return status;
      settling = Math.min(POLL_MS, settling * 2);
      const pause = Math.min(left, recorded ? settling : POLL_MS);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, pause);
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done, { once: true });
        wake = () => {
          wake = () => {};
          settling = SETTLE_MS;
          done();
        };
      });
    }
  } finally {
    await stop();
  }
}

/** Whether nothing more will come unless somebody pushes or retries. */
export function isLast({ state }: TaskStatus): boolean {
  return state === 'finished' || state === 'unproven' || state === 'malformed' || state === 'unknown';
}
