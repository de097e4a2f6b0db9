import { WritError } from '../../../core/errors.ts';
import type { RetryAnswer, RetryOptions, SignatureReader } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';
import type { OperatorServices } from './operator.ts';
import { unknownTask, unprovenTask } from './task-id.ts';
import { readTaskStatus, type TaskStatus } from './task-status.ts';

export interface RetryTerms {
  /** `true`: under a new lease in any case. Absent: when the old one has expired, if `board.regrant` allows it. */
  readonly regrant?: boolean;
}

export interface Retried {
  /** It runs under a new lease. */
  readonly regranted: boolean;
}

/** What the audit log says about a retry that was done. */
export function retryDetail({ regranted }: Retried): { readonly regranted: boolean } {
  return { regranted };
}

/**
 * Runs a failed task again with its full budget, under a new lease where the old one has expired (design 4, Retry).
 *
 * @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, INVALID_RESULT, and the kernel's refusals
 */
export async function retryTask(taskId: string, { regrant }: RetryTerms, services: OperatorServices): Promise<Retried> {
  const status = failedStanding(taskId, await readTaskStatus(taskId, services.tasks));
  const renew = regrant === true || leaseHasExpired(status, await services.signatures(), services.clock.now());
  const lease = renew ? await renewedLease(taskId, status, regrant ?? services.regrantByDefault, services) : undefined;
  const answer = await services.tasks.enqueue.retry(taskId, { ...placeOf(status), ...(lease === undefined ? {} : { lease }) });
  if (answer.kind !== 'retried') throw moved(taskId, answer);
  return { regranted: lease !== undefined };
}

/** Where the job was just found: it need not be looked for again in every queue. */
function placeOf({ job }: FailedTask): Pick<RetryOptions, 'queue' | 'jobId'> {
  return job === undefined ? {} : { queue: job.queue, jobId: job.jobId };
}

/** What has failed, as far as it is proved: a forged row must not keep a failed job from running again. */
type FailedTask = Extract<TaskStatus, { state: 'finished' | 'unproven' }>;

/** @throws WritError NOT_FOUND, WRONG_STATE, INVALID_RESULT */
function failedStanding(taskId: string, status: TaskStatus): FailedTask {
  if (status.state === 'unknown') throw unknownTask(taskId);
  if (status.state === 'malformed') throw new WritError('WRONG_STATE', `${taskId} was no task that could run (${status.message}): push a correct one`);
  if (status.state === 'unproven' && status.job?.state !== 'failed') throw unprovenTask(taskId);
  if (status.state === 'unproven') return status;
  if (status.state !== 'finished') throw new WritError('WRONG_STATE', `${taskId} has not failed: it is ${status.state}`);
  if (status.outcome.status === 'SUCCESS') throw new WritError('WRONG_STATE', `${taskId} has succeeded; there is nothing to retry`);
  if (status.job?.state !== 'failed') {
    throw new WritError('NOT_FOUND', `${taskId} has failed, but its job is no longer kept (7 days): push the same manifest again`);
  }
  return status;
}

function leaseHasExpired(status: FailedTask, signatures: SignatureReader, now: number): boolean {
  const lease = jobDataOf(status.job)?.lease;
  const exp = lease === undefined ? undefined : signatures.peek(lease)?.exp;
  return exp !== undefined && exp * 1000 <= now;
}

/** The kernel signs again only for the manifest of a recorded, signed FAILURE. */
async function renewedLease(taskId: string, status: FailedTask, allowed: boolean, services: OperatorServices): Promise<string> {
  if (!allowed) throw new WritError('LEASE_EXPIRED', `the lease of ${taskId} has expired; ask for a regrant (--regrant) to have the kernel issue a new one`);
  if (status.state === 'unproven') throw unprovenTask(taskId);
  const data = jobDataOf(status.job);
  if (!data) throw new WritError('WRONG_STATE', `the job of ${taskId} no longer holds its manifest`);
  return (await services.kernel()).regrant(data.manifest, status.result, {});
}

function moved(taskId: string, answer: Exclude<RetryAnswer, { kind: 'retried' }>): WritError {
  if (answer.kind === 'not-found') return new WritError('NOT_FOUND', `the job of ${taskId} is gone: push the same manifest again`);
  return new WritError('WRONG_STATE', `${taskId} has not failed (any more): its job is ${answer.state}`);
}
