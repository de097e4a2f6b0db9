import { WritError } from '../../../core/errors.ts';
import { taskIdOf, unknownTask } from '../../shared/tasks/task-id.ts';
import { readTaskStatus, type TaskStatus } from '../../shared/tasks/task-status.ts';
import { verifies } from '../../shared/tasks/verify-result.ts';
import type { Call } from '../command.ts';
import { pairs } from '../text/table.ts';
import { taskStatusJson, taskStatusText } from '../text/task-status.ts';

export interface ResultFlags {
  readonly verify?: boolean;
}

/** `writ result`: the last outcome, or where the task stands. */
export async function runResult(call: Call, flags: ResultFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const services = await call.services();
  const status = await readTaskStatus(taskId, await services.tasks());
  if (status.state === 'unknown') throw unknownTask(taskId);
  const verified = flags.verify === true && status.state === 'finished' ? await verifies(taskId, status, await services.signatures()) : undefined;

  const value = { task_id: taskId, ...taskStatusJson(status), ...(verified === undefined ? {} : { verified }) };
  await call.output.answer(value, () => text(taskId, status, verified, call.clock.now()));
  if (verified === false)
    throw new WritError('INVALID_RESULT', `the result of ${taskId} was not signed by an executor key of this data directory: do not trust it`);
  return exitOf(status);
}

/** 3 while there is no outcome: asking again later may answer. */
export function exitOf(status: TaskStatus): number {
  if (status.state === 'waiting' || status.state === 'running') return 3;
  return status.state === 'finished' && status.outcome.status === 'SUCCESS' ? 0 : 1;
}

function text(taskId: string, status: TaskStatus, verified: boolean | undefined, now: number): string {
  const rows: [string, string][] = [
    ['task', taskId],
    ['state', taskStatusText(status, now)],
  ];
  if (status.state === 'finished') {
    rows.push(['from', status.from]);
    if (status.outcome.output) rows.push(['output', JSON.stringify(status.outcome.output)]);
  }
  if (verified !== undefined) rows.push(['signature', verified ? 'verified' : 'DOES NOT VERIFY']);
  return pairs(rows);
}
