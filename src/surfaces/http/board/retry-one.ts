import { audited } from '../../../core/audited.ts';
import { WritError } from '../../../core/errors.ts';
import type { AuditLog } from '../../../core/ports/index.ts';
import { type Retried, retryDetail } from '../../shared/tasks/retry.ts';
import { type BoardServices, retryJob, subjectOf } from './retry-job.ts';
import type { BoardSource } from './source.ts';

/** @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, STORAGE_UNAVAILABLE, and the kernel's refusals */
export async function retryOne(source: BoardSource, jobId: string, who: string, services: BoardServices, audit: AuditLog): Promise<Retried> {
  const subject = await subjectOf(jobId, source);
  const retry = (): Promise<Retried> => retryJob(jobId, source, services);
  if (subject.kind === 'plan') return audited(audit, { surface: 'board', who, action: 'plan.retry', subject: subject.id }, retry, retryDetail);
  const job = subject.own ? undefined : await services.tasks.enqueue.jobState(subject.id);
  if (job !== undefined && job.queue !== source.queueName) throw new WritError('NOT_FOUND', `the job of ${subject.id} is in queue ${job.queue}`);
  return audited(audit, { surface: 'board', who, action: 'task.retry', subject: subject.id }, retry, retryDetail);
}
