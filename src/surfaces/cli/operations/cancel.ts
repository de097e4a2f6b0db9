import { cancelTask } from '../../shared/tasks/cancel.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import type { Call } from '../command.ts';
import { parseSeconds } from '../text/values.ts';
import { auditedCall } from './audited-call.ts';
import { operatorServices } from './operator-doors.ts';

export interface CancelFlags {
  readonly timeout: string;
}

/** `writ cancel`: asks, and tells what the outcome decided. */
export async function runCancel(call: Call, flags: CancelFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const doors = await operatorServices(call);
  const cancelled = await auditedCall(call, { action: 'task.cancel', subject: taskId }, () =>
    cancelTask(taskId, { timeoutMs, signal: call.interrupted() }, doors),
  );
  if (cancelled.kind === 'cancelled') {
    await call.output.answer({ task_id: taskId, cancel: 'cancelled' }, () => `${taskId} is cancelled; nothing was done`);
    return 0;
  }
  const { state } = cancelled.status;
  const why = state === 'running' ? 'the worker has begun' : 'no worker has taken the task yet';
  await call.output.answer({ task_id: taskId, cancel: 'requested', state }, () => `a cancel of ${taskId} is requested: ${why}`);
  return 0;
}
