import { audited } from '../../../core/audited.ts';
import { WritError } from '../../../core/errors.ts';
import type { AuditLog } from '../../../core/ports/index.ts';
import { type Retried, retryDetail } from '../../shared/tasks/retry.ts';
import { type BoardServices, retryJob, taskOfJob } from './retry-job.ts';
import { planOfJob } from './shown-plan.ts';

/** @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, STORAGE_UNAVAILABLE, and the kernel's refusals */
export async function retryOne(queue: string, jobId: string, who: string, services: BoardServices, audit: AuditLog): Promise<Retried> {
  const plan = planOfJob(jobId);
  if (plan !== undefined) return audited(audit, { surface: 'board', who, action: 'plan.retry', subject: plan }, () => retryJob(jobId, services));
  const taskId = taskOfJob(jobId);
  const job = await services.tasks.enqueue.jobState(taskId);
  if (job !== undefined && job.queue !== queue) throw new WritError('NOT_FOUND', `the job of ${taskId} is in queue ${job.queue}`);
  const entry = { surface: 'board', who, action: 'task.retry', subject: taskId } as const;
  return audited(audit, entry, () => retryJob(jobId, services), retryDetail);
}
