import { WritError } from '../../../core/errors.ts';
import type { FailedManifest, Grant, RetryAnswer, RetryOptions, SignatureReader } from '../../../core/ports/index.ts';
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

/** What became of a retry: `refused` holds what `retryTask` throws. */
export type RetryEnd = ({ readonly kind: 'retried' } & Retried) | { readonly kind: 'refused'; readonly error: unknown };

/**
 * Runs a failed task again with its full budget, under a new lease where the old one has expired (design 4, Retry).
 *
 * @throws WritError NOT_FOUND, WRONG_STATE, LEASE_EXPIRED, INVALID_RESULT, and the kernel's refusals
 */
export async function retryTask(taskId: string, terms: RetryTerms, services: OperatorServices): Promise<Retried> {
  const [end] = await retryTasks([taskId], terms, services);
  if (end?.kind === 'refused') throw end.error;
  return { regranted: end?.regranted ?? false };
}

/**
 * `retryTask` for many, each by itself: what one is refused for is nobody else's concern. New leases are asked for
 * together, and signed and recorded as one. Never rejects.
 *
 * @returns an end for each task, in order
 */
export async function retryTasks(taskIds: readonly string[], terms: RetryTerms, services: OperatorServices): Promise<readonly RetryEnd[]> {
  const judged = await Promise.all(taskIds.map((taskId) => orRefused(() => judge(taskId, terms, services))));
  const leases = await renewedLeases(
    judged.flatMap((one) => (one.kind === 'granted' && one.failed !== undefined ? [one.failed] : [])),
    services,
  );
  return Promise.all(judged.map((one) => (one.kind === 'refused' ? one : orRefused(() => rerun(one, leases, services)))));
}

/** A task that may run again; `failed` where it needs a new lease first. */
interface Granted {
  readonly kind: 'granted';
  readonly taskId: string;
  readonly status: FailedTask;
  readonly failed: FailedManifest | undefined;
}

type Refused = Extract<RetryEnd, { readonly kind: 'refused' }>;

async function judge(taskId: string, { regrant }: RetryTerms, services: OperatorServices): Promise<Granted> {
  const status = failedStanding(taskId, await readTaskStatus(taskId, services.tasks));
  const renew = regrant === true || leaseHasExpired(status, await services.signatures(), services.clock.now());
  if (!renew) await refuseDoubtful(taskId, status, services);
  return { kind: 'granted', taskId, status, failed: renew ? renewable(taskId, status, regrant ?? services.regrantByDefault) : undefined };
}

/** By what was asked for; a kernel that does not answer is the answer to each. */
async function renewedLeases(failed: readonly FailedManifest[], services: OperatorServices): Promise<ReadonlyMap<FailedManifest, string | Refused>> {
  if (failed.length === 0) return new Map();
  const grants = await orRefused(async () => ({ kind: 'granted' as const, all: await (await services.kernel()).regrant(failed, {}) }));
  return new Map(failed.map((one, at) => [one, grants.kind === 'refused' ? grants : leaseOf(grants.all[at])]));
}

function leaseOf(grant: Grant | undefined): string | Refused {
  if (grant?.kind === 'granted') return grant.lease;
  if (grant === undefined) return { kind: 'refused', error: new WritError('INTERNAL', 'the kernel gave no answer') };
  const { code, message, field } = grant;
  return { kind: 'refused', error: new WritError(code, message, field === undefined ? {} : { field }) };
}

async function rerun(
  { taskId, status, failed }: Granted,
  leases: ReadonlyMap<FailedManifest, string | Refused>,
  services: OperatorServices,
): Promise<RetryEnd> {
  const lease = failed && leases.get(failed);
  if (typeof lease === 'object') return lease;
  const answer = await services.tasks.enqueue.retry(taskId, { ...placeOf(status), ...(lease === undefined ? {} : { lease }) });
  if (answer.kind !== 'retried') throw moved(taskId, answer);
  return { kind: 'retried', regranted: lease !== undefined };
}

async function orRefused<T>(work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'refused', error };
  }
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

/** Under the lease of a doubtful end only its stored answer comes back (docs/protocol.md 6). Where no journal lies nobody can tell. */
async function refuseDoubtful(taskId: string, status: FailedTask, { tasks, signatures }: OperatorServices): Promise<void> {
  const doubtful = (await tasks.journal?.view(taskId))?.doubtful;
  const lease = jobDataOf(status.job)?.lease;
  if (doubtful === undefined || lease === undefined || (await signatures()).peek(lease)?.jti !== doubtful.jti) return;
  throw new WritError(
    'WRONG_STATE',
    `nobody can tell whether ${taskId} had its effect, and under its lease it is not run again: look at its files (writ doctor has the incident), then ask for a regrant (--regrant)`,
  );
}

function leaseHasExpired(status: FailedTask, signatures: SignatureReader, now: number): boolean {
  const lease = jobDataOf(status.job)?.lease;
  const exp = lease === undefined ? undefined : signatures.peek(lease)?.exp;
  return exp !== undefined && exp * 1000 <= now;
}

/** The kernel signs again only for the manifest of a recorded, signed FAILURE. */
function renewable(taskId: string, status: FailedTask, allowed: boolean): FailedManifest {
  if (!allowed) throw new WritError('LEASE_EXPIRED', `the lease of ${taskId} has expired; ask for a regrant (--regrant) to have the kernel issue a new one`);
  if (status.state === 'unproven') throw unprovenTask(taskId);
  const data = jobDataOf(status.job);
  if (!data) throw new WritError('WRONG_STATE', `the job of ${taskId} no longer holds its manifest`);
  return { manifest: data.manifest, failure: status.result };
}

function moved(taskId: string, answer: Exclude<RetryAnswer, { kind: 'retried' }>): WritError {
  if (answer.kind === 'not-found') return new WritError('NOT_FOUND', `the job of ${taskId} is gone: push the same manifest again`);
  return new WritError('WRONG_STATE', `${taskId} has not failed (any more): its job is ${answer.state}`);
}
