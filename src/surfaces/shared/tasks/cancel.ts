import { WritError } from '../../../core/errors.ts';
import type { OperatorServices } from './operator.ts';
import { unknownTask, unprovenTask } from './task-id.ts';
import { readTaskStatus, type TaskStatus, type WaitOptions, waitForOutcome } from './task-status.ts';

/** `cancelled`: nothing was done. `requested`: the outcome decides; `status` says where the task is. */
export type Cancelled = { readonly kind: 'cancelled' } | { readonly kind: 'requested'; readonly status: TaskStatus };

/**
 * Asks for a cancel and waits a moment for what the outcome decides (design 4, settle).
 *
 * @throws WritError NOT_FOUND; WRONG_STATE when the task has ended already; INVALID_RESULT when nobody can tell
 */
export async function cancelTask(taskId: string, wait: WaitOptions, { tasks, clock }: Pick<OperatorServices, 'tasks' | 'clock'>): Promise<Cancelled> {
  assertOpen(taskId, await readTaskStatus(taskId, tasks));
  if ((await tasks.ledger.cancel(taskId, clock.now())) === 'done') throw tooLate(taskId, 'SUCCESS');
  const status = await waitForOutcome(taskId, tasks, wait);
  if (status.state === 'finished' && status.outcome.error?.message === 'cancelled') return { kind: 'cancelled' };
  if (status.state === 'finished') throw tooLate(taskId, status.outcome.status);
  if (status.state === 'unproven') throw unprovenTask(taskId);
  if (status.state === 'malformed') throw tooLate(taskId, 'FAILURE');
  return { kind: 'requested', status };
}

function assertOpen(taskId: string, status: TaskStatus): void {
  if (status.state === 'unknown') throw unknownTask(taskId);
  if (status.state === 'unproven') throw unprovenTask(taskId);
  if (status.state === 'finished') throw tooLate(taskId, status.outcome.status);
  if (status.state === 'malformed') throw tooLate(taskId, 'FAILURE');
}

function tooLate(taskId: string, status: string): WritError {
  return new WritError(
    'WRONG_STATE',
    `${taskId} has ended with ${status} already: too late to cancel${status === 'SUCCESS' ? '; `writ undo` takes it back' : ''}`,
  );
}
