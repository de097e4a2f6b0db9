import type { TaskView } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { SignatureReader } from '../../../core/ports/index.ts';
import { verifies } from './verify-result.ts';
import { type KnownTaskStatus, taskViewOf } from './view.ts';

/**
 * A task as it stands.
 *
 * @throws WritError INVALID_RESULT when `verified` is asked for and the executor did not sign the result
 */
export async function shownTask(taskId: string, status: KnownTaskStatus, signatures: SignatureReader, verified: boolean): Promise<TaskView> {
  if (verified && status.state === 'finished' && !(await verifies(taskId, status, signatures)))
    throw new WritError('INVALID_RESULT', `the stored result of ${taskId} was not signed by an executor that is trusted here`);
  return taskViewOf(taskId, status, signatures);
}
