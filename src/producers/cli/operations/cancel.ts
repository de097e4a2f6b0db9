import { WritError } from '../../../core/errors.ts';
import type { Call } from '../act.ts';
import { parseSeconds } from '../text/words.ts';
import { type Standing, standingOf } from './standing.ts';
import { taskIdOf, unknownTask } from './task-id.ts';
import { waitForOutcome } from './wait.ts';

export interface CancelFlags {
  readonly timeout: string;
}

/** `writ cancel`: asks, and tells what the outcome decided. */
export async function runCancel(call: Call, flags: CancelFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const tasks = await (await call.services()).tasks();
  assertOpen(taskId, await standingOf(taskId, tasks));

  if ((await tasks.ledger.cancel(taskId, call.clock.now())) === 'done') throw tooLate(taskId, 'SUCCESS');
  const standing = await waitForOutcome(taskId, tasks, { timeoutMs, signal: call.interrupted() });
  return tell(call, taskId, standing);
}

/** @throws WritError NOT_FOUND, WRONG_STATE */
function assertOpen(taskId: string, standing: Standing): void {
  if (standing.state === 'unknown') throw unknownTask(taskId);
  if (standing.state === 'finished') throw tooLate(taskId, standing.outcome.status);
  if (standing.state === 'malformed') throw tooLate(taskId, 'FAILURE');
}

async function tell(call: Call, taskId: string, standing: Standing): Promise<number> {
  if (standing.state === 'finished' && standing.outcome.error?.message === 'cancelled') {
    await call.output.answer({ task_id: taskId, cancel: 'cancelled' }, () => `${taskId} is cancelled; nothing was done`);
    return 0;
  }
  if (standing.state === 'finished' || standing.state === 'malformed')
    throw tooLate(taskId, standing.state === 'finished' ? standing.outcome.status : 'FAILURE');
  const why = standing.state === 'running' ? 'the worker has begun' : 'no worker has taken the task yet';
  await call.output.answer({ task_id: taskId, cancel: 'requested', state: standing.state }, () => `a cancel of ${taskId} is requested: ${why}`);
  return 0;
}

function tooLate(taskId: string, status: string): WritError {
  return new WritError(
    'WRONG_STATE',
    `${taskId} has ended with ${status} already: too late to cancel${status === 'SUCCESS' ? '; `writ undo` takes it back' : ''}`,
  );
}
