import { WritError } from '../../../core/errors.ts';
import type { TaskDoor } from '../../../core/ports/front-door.ts';
import { waitForOutcome } from '../../shared/tasks/wait.ts';
import type { Call } from '../act.ts';
import { standingLine, standingText } from '../text/standing.ts';
import { parseSeconds } from '../text/words.ts';
import { exitOf } from './result.ts';

/**
 * The end of a command that put a task on its way: answers at once, or with its outcome when asked to wait.
 *
 * @param said what was done, for both kinds of output
 * @throws WritError TIMEOUT when no outcome came in time
 */
export async function answerOrWait(
  call: Call,
  tasks: TaskDoor,
  taskId: string,
  flags: { readonly wait?: boolean; readonly timeout: string },
  said: { readonly value: Record<string, unknown>; readonly text: string },
): Promise<number> {
  if (flags.wait !== true) {
    await call.output.answer({ task_id: taskId, ...said.value }, () => said.text);
    return 0;
  }
  const timeoutMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const standing = await waitForOutcome(taskId, tasks, { timeoutMs, signal: call.interrupted() });
  const code = exitOf(standing);
  if (code === 3) throw new WritError('TIMEOUT', `${said.text}; no outcome within ${flags.timeout}: ${standingText(standing, call.clock.now())}`);
  await call.output.answer({ task_id: taskId, ...said.value, ...standingLine(standing) }, () => `${said.text}\n${standingText(standing, call.clock.now())}`);
  return code;
}
