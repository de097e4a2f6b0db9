import { TaskId } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';

/** @throws WritError INVALID_ARGUMENT when the word cannot be a task id */
export function taskIdOf(word: string): string {
  const parsed = TaskId.safeParse(word);
  if (!parsed.success) throw new WritError('INVALID_ARGUMENT', parsed.error.issues[0]?.message ?? 'is no task id', { field: 'task_id' });
  return parsed.data;
}

/** No outcome that is stored for the task can be believed. */
export function unprovenTask(taskId: string): WritError {
  return new WritError(
    'INVALID_RESULT',
    `what is stored for ${taskId} was not signed by an executor that is trusted here: push the task again to have the truth`,
  );
}

export function unknownTask(taskId: string): WritError {
  return new WritError('NOT_FOUND', `no task ${taskId} is known here: neither the ledger nor a queue nor the journal of this data directory has it`);
}
