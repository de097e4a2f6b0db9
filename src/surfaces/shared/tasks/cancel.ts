import { WritError } from '../../../core/errors.ts';
import type { OperatorDoors } from './operator.ts';
import { type Standing, standingOf } from './standing.ts';
import { unknownTask } from './task-id.ts';
import { type WaitOptions, waitForOutcome } from './wait.ts';

/** `cancelled`: nothing was done. `requested`: the outcome decides; `standing` says where the task is. */
export type Cancelled = { readonly kind: 'cancelled' } | { readonly kind: 'requested'; readonly standing: Standing };

/**
 * Asks for a cancel and waits a moment for what the outcome decides (design 4, settle).
 *
 * @throws WritError NOT_FOUND; WRONG_STATE when the task has ended already
 */
export async function cancelTask(taskId: string, wait: WaitOptions, { tasks, clock }: Pick<OperatorDoors, 'tasks' | 'clock'>): Promise<Cancelled> {
  assertOpen(taskId, await standingOf(taskId, tasks));
  if ((await tasks.ledger.cancel(taskId, clock.now())) === 'done') throw tooLate(taskId, 'SUCCESS');
  const standing = await waitForOutcome(taskId, tasks, wait);
  if (standing.state === 'finished' && standing.outcome.error?.message === 'cancelled') return { kind: 'cancelled' };
  if (standing.state === 'finished') throw tooLate(taskId, standing.outcome.status);
  if (standing.state === 'malformed') throw tooLate(taskId, 'FAILURE');
  return { kind: 'requested', standing };
}

function assertOpen(taskId: string, standing: Standing): void {
  if (standing.state === 'unknown') throw unknownTask(taskId);
  if (standing.state === 'finished') throw tooLate(taskId, standing.outcome.status);
  if (standing.state === 'malformed') throw tooLate(taskId, 'FAILURE');
}

function tooLate(taskId: string, status: string): WritError {
  return new WritError(
    'WRONG_STATE',
    `${taskId} has ended with ${status} already: too late to cancel${status === 'SUCCESS' ? '; `writ undo` takes it back' : ''}`,
  );
}
