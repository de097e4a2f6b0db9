import type { ClaimRequest, Ledger, RecordRequest, TaskSignals, TaskState } from '../../src/core/ports/index.ts';

/** An implementation of the ledger with what a test needs to look behind it. */
export interface LedgerRig {
  readonly ledger: Ledger;
  readonly signals: TaskSignals;
  /** When the row goes, milliseconds since 1970; `undefined` without a row. */
  expiresAt(taskId: string): Promise<number | undefined>;
  /** Forgets everything, markers too. */
  lose(): Promise<void>;
}

/** Rigs are made with this retention: longer than the 7 days, so that both parts of the life rule can win. */
export const RETENTION_MS = 31 * 24 * 3600 * 1000;

/** A fixed present, close to the real one: Redis drops rows by its own clock. */
export const NOW = Date.now();
export const EXP = Math.floor(NOW / 1000) + 3600;

export const SHA = 'a'.repeat(64);
export const OTHER_SHA = 'b'.repeat(64);

let counter = 0;
export function newTaskId(): string {
  counter += 1;
  return `task-${counter}`;
}

export function claimOf(taskId: string, changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return { taskId, manifestSha256: SHA, jobKey: 'file:t_1', instance: 'i-1', exp: EXP, now: NOW, ...changes };
}

export function recordOf(taskId: string, epoch: number, changes: Partial<RecordRequest> = {}): RecordRequest {
  return { taskId, epoch, status: 'SUCCESS', errorCode: undefined, result: '{"status":"SUCCESS"}', now: NOW + 5, ...changes };
}
export const FAILED = { status: 'FAILURE', errorCode: 'EXECUTION_FAILED', result: '{"status":"FAILURE"}' } as const;

/** How to bring a task into each state. */
export const REACH: Readonly<Record<Exclude<TaskState, 'damaged'> | 'none' | 'released', (rig: LedgerRig, taskId: string) => Promise<unknown>>> = {
  none: async () => undefined,
  waiting: ({ ledger }, taskId) => ledger.cancel(taskId, NOW),
  running: ({ ledger }, taskId) => ledger.claim(claimOf(taskId)),
  async released({ ledger }, taskId) {
    await ledger.claim(claimOf(taskId));
    await ledger.release(taskId, 1);
  },
  async success({ ledger }, taskId) {
    await ledger.claim(claimOf(taskId));
    await ledger.record(recordOf(taskId, 1));
  },
  async failure({ ledger }, taskId) {
    await ledger.claim(claimOf(taskId));
    await ledger.record(recordOf(taskId, 1, FAILED));
  },
};
export const STATES = Object.keys(REACH) as (keyof typeof REACH)[];
