import { retryDetail, retryTask } from '../../shared/tasks/retry.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';
import { operatorServices } from './operator-doors.ts';
import { answerOrWait } from './settle-wait.ts';

export interface RetryFlags {
  /** Absent: as `board.regrant` says. */
  readonly regrant?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
}

/** `writ retry`: the failed job runs again with its full budget, under a new lease where the old one has expired. */
export async function runRetry(call: Call, flags: RetryFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const doors = await operatorServices(call);
  const wish = flags.regrant === undefined ? {} : { regrant: flags.regrant };
  const { regranted } = await auditedCall(call, { action: 'task.retry', subject: taskId, detail: wish }, () => retryTask(taskId, wish, doors), retryDetail);
  const said = { value: { retried: true, regranted }, text: `${taskId} runs again${regranted ? ' under a new lease' : ''}` };
  return answerOrWait(call, doors.tasks, taskId, flags, said);
}
