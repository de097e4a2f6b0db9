import type { Outcome } from './outcome.ts';

/** What a job is told whose task_id belongs to another manifest. */
export const CONFLICT_MESSAGE = 'task_id already used for another manifest';

/** What it is told when only an unsigned row says so, for longer than it can wait for a proof. */
export const UNPROVEN_CONFLICT_MESSAGE = 'the ledger says that another manifest with this task_id is at work, and nobody has signed its end; nothing was done';

/** How the sentences begin about a lease that was good when it was signed; only they are recorded with the task. */
export const GATE_MESSAGES = {
  revoked: 'the lease was revoked',
  future: 'the lease was issued in the future',
  tooLong: 'the lease lives longer than',
} as const;

/**
 * Whether an outcome answers a job that never reached its task: its lease did not verify, or its id belongs to another
 * manifest. Whoever may push can have one signed for any task and manifest. So it counts under the key of its job only,
 * and never in the task's row (docs/protocol.md 7).
 */
export function isRefusal({ error }: Pick<Outcome, 'error'>): boolean {
  if (error === null) return false;
  if (error.error_code === 'EXECUTION_FAILED') return error.message === CONFLICT_MESSAGE || error.message === UNPROVEN_CONFLICT_MESSAGE;
  return error.error_code === 'INVALID_LEASE' && !Object.values(GATE_MESSAGES).some((message) => error.message.startsWith(message));
}
