import { WritError } from '../../../core/errors.ts';
import { type Standing, standingOf } from '../../shared/tasks/standing.ts';
import { taskIdOf, unknownTask } from '../../shared/tasks/task-id.ts';
import { verifies } from '../../shared/tasks/verify-result.ts';
import type { Call } from '../act.ts';
import { standingLine, standingText } from '../text/standing.ts';
import { pairs } from '../text/table.ts';

export interface ResultFlags {
  readonly verify?: boolean;
}

/** `writ result`: the last outcome, or where the task stands. */
export async function runResult(call: Call, flags: ResultFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const services = await call.services();
  const standing = await standingOf(taskId, await services.tasks());
  if (standing.state === 'unknown') throw unknownTask(taskId);
  const verified = flags.verify === true && standing.state === 'finished' ? await verifies(taskId, standing, await services.signatures()) : undefined;

  const value = { task_id: taskId, ...standingLine(standing), ...(verified === undefined ? {} : { verified }) };
  await call.output.answer(value, () => text(taskId, standing, verified, call.clock.now()));
  if (verified === false)
    throw new WritError('INVALID_RESULT', `the result of ${taskId} was not signed by an executor key of this data directory: do not trust it`);
  return exitOf(standing);
}

/** 3 while there is no outcome: asking again later may answer. */
export function exitOf(standing: Standing): number {
  if (standing.state === 'waiting' || standing.state === 'running') return 3;
  return standing.state === 'finished' && standing.outcome.status === 'SUCCESS' ? 0 : 1;
}

function text(taskId: string, standing: Standing, verified: boolean | undefined, now: number): string {
  const rows: [string, string][] = [
    ['task', taskId],
    ['state', standingText(standing, now)],
  ];
  if (standing.state === 'finished') {
    rows.push(['from', standing.from]);
    if (standing.outcome.output) rows.push(['output', JSON.stringify(standing.outcome.output)]);
  }
  if (verified !== undefined) rows.push(['signature', verified ? 'verified' : 'DOES NOT VERIFY']);
  return pairs(rows);
}
