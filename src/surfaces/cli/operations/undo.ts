import { taskIdOf } from '../../shared/tasks/task-id.ts';
import { undoTask } from '../../shared/tasks/undo.ts';
import type { Call } from '../command.ts';
import { auditedCall } from './audited-call.ts';
import { operatorServices } from './operator-doors.ts';
import { answerOrWait } from './settle-wait.ts';

export interface UndoFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

/** `writ undo`: the kernel computes and signs the task that takes the effect back; it is pushed like any other. */
export async function runUndo(call: Call, flags: UndoFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const doors = await operatorServices(call);
  const { undoId, receipt } = await auditedCall(call, { action: 'task.undo', subject: taskId }, () => undoTask(taskId, doors));
  const said = { value: { undo_of: taskId, receipt: receipt.kind }, text: `${undoId} takes back ${taskId}` };
  return answerOrWait(call, doors.tasks, undoId, flags, said);
}
