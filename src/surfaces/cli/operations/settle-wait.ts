import { WritError } from '../../../core/errors.ts';
import type { TaskGateway } from '../../../core/ports/task-gateway.ts';
import { waitForOutcome } from '../../shared/tasks/wait.ts';
import type { Call } from '../command.ts';
import { taskStatusJson, taskStatusText } from '../text/task-status.ts';
import { parseSeconds } from '../text/values.ts';
import { exitOf } from './result.ts';

/**
 * The end of a command that put a task on its way: answers at once, or with its outcome when asked to wait.
 *
 * @param said what was done, for both kinds of output
 * @throws WritError TIMEOUT when no outcome came in time
 */
export async function answerOrWait(
  call: Call,
  tasks: TaskGateway,
  taskId: string,
  flags: { readonly wait?: boolean; readonly timeout: string },
  said: { readonly value: Record<string, unknown>; readonly text: string },
): Promise<number> {
  if (flags.wait !== true) {
    await call.output.answer({ task_id: taskId, ...said.value }, () => said.text);
    return 0;
  }
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const status = await waitForOutcome(taskId, tasks, { timeoutMs, signal: call.interrupted() });
  const code = exitOf(status);
  if (code === 3) throw new WritError('TIMEOUT', `${said.text}; no outcome within ${flags.timeout}: ${taskStatusText(status, call.clock.now())}`);
  await call.output.answer({ task_id: taskId, ...said.value, ...taskStatusJson(status) }, () => `${said.text}\n${taskStatusText(status, call.clock.now())}`);
  return code;
}
