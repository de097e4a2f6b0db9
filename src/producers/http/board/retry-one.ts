import { WritError } from '../../../core/errors.ts';
import type { AuditLog } from '../../../core/ports/index.ts';
import { audited } from '../../tasks/audited.ts';
import type { OperatorDoors } from '../../tasks/operator.ts';
import { type Retried, retryDetail, retryTask } from '../../tasks/retry.ts';
import { taskIdOf } from '../../tasks/task-id.ts';

/** The ids that Writ's own producers and good raw producers give to jobs (`docs/producers.md`). */
const JOB_ID = /^t_(.+)$/;

/**
 * The task that a job stands for.
 *
 * @throws WritError WRONG_STATE: the job has an id of its own, so that a retry could not be found again under its task
 */
export function taskOfJob(jobId: string): string {
  const task = JOB_ID.exec(jobId)?.[1];
  if (task === undefined) {
    throw new WritError('WRONG_STATE', 'This job was pushed under an id of its own (its task is in its data): push the same manifest again to run it.');
  }
  return taskIdOf(task);
}

/** @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, STORAGE_UNAVAILABLE, and the kernel's refusals */
export async function retryOne(queue: string, jobId: string, who: string, doors: OperatorDoors, audit: AuditLog): Promise<Retried> {
  const taskId = taskOfJob(jobId);
  const job = await doors.tasks.enqueue.jobState(taskId);
  if (job !== undefined && job.queue !== queue) throw new WritError('NOT_FOUND', `the job of ${taskId} is in queue ${job.queue}`);
  const entry = { surface: 'board', who, action: 'task.retry', subject: taskId } as const;
  return audited(audit, entry, () => retryTask(taskId, {}, doors), retryDetail);
}
