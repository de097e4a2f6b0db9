import { WritError } from '../../../core/errors.ts';
import type { RetryAnswer, SignatureReader } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';
import type { OperatorDoors } from './operator.ts';
import { type Finished, type Standing, standingOf } from './standing.ts';
import { unknownTask } from './task-id.ts';

export interface RetryWish {
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
 * @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, and the kernel's refusals
 */
export async function retryTask(taskId: string, { regrant }: RetryWish, doors: OperatorDoors): Promise<Retried> {
  const standing = failedStanding(taskId, await standingOf(taskId, doors.tasks));
  const renew = regrant === true || leaseHasExpired(standing, await doors.signatures(), doors.clock.now());
  const lease = renew ? await renewedLease(taskId, standing, regrant ?? doors.regrantByDefault, doors) : undefined;
  const answer = await doors.tasks.enqueue.retry(taskId, lease === undefined ? {} : { lease });
  if (answer.kind !== 'retried') throw moved(taskId, answer);
  return { regranted: lease !== undefined };
}

/** @throws WritError NOT_FOUND, WRONG_STATE */
function failedStanding(taskId: string, standing: Standing): Finished {
  if (standing.state === 'unknown') throw unknownTask(taskId);
  if (standing.state === 'malformed') throw new WritError('WRONG_STATE', `${taskId} was no task that could run (${standing.message}): push a correct one`);
  if (standing.state !== 'finished') throw new WritError('WRONG_STATE', `${taskId} has not failed: it is ${standing.state}`);
  if (standing.outcome.status === 'SUCCESS') throw new WritError('WRONG_STATE', `${taskId} has succeeded; there is nothing to retry`);
  if (standing.job?.state !== 'failed') {
    throw new WritError('NOT_FOUND', `${taskId} has failed, but its job is no longer kept (7 days): push the same manifest again`);
  }
  return standing;
}

function leaseHasExpired(standing: Finished, signatures: SignatureReader, now: number): boolean {
  const lease = jobDataOf(standing.job)?.lease;
  const exp = lease === undefined ? undefined : signatures.peek(lease)?.exp;
  return exp !== undefined && exp * 1000 <= now;
}

/** The kernel signs again only for the manifest of a recorded, signed FAILURE. */
async function renewedLease(taskId: string, standing: Finished, allowed: boolean, doors: OperatorDoors): Promise<string> {
  if (!allowed) throw new WritError('LEASE_EXPIRED', `the lease of ${taskId} has expired; ask for a regrant (--regrant) to have the kernel issue a new one`);
  const data = jobDataOf(standing.job);
  if (!data) throw new WritError('WRONG_STATE', `the job of ${taskId} no longer holds its manifest`);
  return (await doors.kernel()).regrant(data.manifest, standing.result, {});
}

function moved(taskId: string, answer: Exclude<RetryAnswer, { kind: 'retried' }>): WritError {
  if (answer.kind === 'not-found') return new WritError('NOT_FOUND', `the job of ${taskId} is gone: push the same manifest again`);
  return new WritError('WRONG_STATE', `${taskId} has not failed (any more): its job is ${answer.state}`);
}
