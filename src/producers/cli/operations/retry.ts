import { WritError } from '../../../core/errors.ts';
import type { SignatureReader, TaskDoor } from '../../../core/ports/front-door.ts';
import type { Call } from '../act.ts';
import type { CliServices } from '../services.ts';
import { jobDataOf } from './job-data.ts';
import { answerOrWait } from './settle-wait.ts';
import { type Standing, standingOf } from './standing.ts';
import { taskIdOf, unknownTask } from './task-id.ts';

export interface RetryFlags {
  /** Absent: as `board.regrant` says. */
  readonly regrant?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
}

/** `writ retry`: the failed job runs again with its full budget, under a new lease where the old one has expired. */
export async function runRetry(call: Call, flags: RetryFlags, word: string): Promise<number> {
  const taskId = taskIdOf(word);
  const services = await call.services();
  const tasks = await services.tasks();
  const standing = await standingOf(taskId, tasks);
  assertFailed(taskId, standing);

  const expired = leaseHasExpired(standing, await services.signatures(), call.clock.now());
  const lease = expired || flags.regrant === true ? await renewedLease(taskId, standing, flags, services) : undefined;
  const answer = await tasks.enqueue.retry(taskId, lease === undefined ? {} : { lease });
  if (answer.kind !== 'retried') throw moved(taskId, answer);
  const said = { value: { retried: true, regranted: lease !== undefined }, text: `${taskId} runs again${lease === undefined ? '' : ' under a new lease'}` };
  return answerOrWait(call, tasks, taskId, flags, said);
}

/** @throws WritError NOT_FOUND, WRONG_STATE */
function assertFailed(taskId: string, standing: Standing): void {
  if (standing.state === 'unknown') throw unknownTask(taskId);
  if (standing.state === 'malformed') throw new WritError('WRONG_STATE', `${taskId} was no task that could run (${standing.message}): push a correct one`);
  if (standing.state !== 'finished') throw new WritError('WRONG_STATE', `${taskId} has not failed: it is ${standing.state}`);
  if (standing.outcome.status === 'SUCCESS') throw new WritError('WRONG_STATE', `${taskId} has succeeded; there is nothing to retry`);
  if (standing.job?.state !== 'failed') {
    throw new WritError('NOT_FOUND', `${taskId} has failed, but its job is no longer kept (7 days): push the same manifest again`);
  }
}

function leaseHasExpired(standing: Standing, signatures: SignatureReader, now: number): boolean {
  if (standing.state !== 'finished') return false;
  const lease = jobDataOf(standing.job)?.lease;
  const exp = lease === undefined ? undefined : signatures.peek(lease)?.exp;
  return exp !== undefined && exp * 1000 <= now;
}

/** The kernel signs again only for the manifest of a recorded, signed FAILURE. */
async function renewedLease(taskId: string, standing: Standing, flags: RetryFlags, services: CliServices): Promise<string> {
  if (!(flags.regrant ?? services.regrantByDefault)) {
    throw new WritError('LEASE_EXPIRED', `the lease of ${taskId} has expired; add --regrant to have the kernel issue a new one`);
  }
  const data = standing.state === 'finished' ? jobDataOf(standing.job) : undefined;
  if (standing.state !== 'finished' || !data) throw new WritError('WRONG_STATE', `the job of ${taskId} no longer holds its manifest`);
  const kernel = await services.kernel();
  return kernel.regrant(data.manifest, standing.result, {});
}

function moved(taskId: string, answer: Exclude<Awaited<ReturnType<TaskDoor['enqueue']['retry']>>, { kind: 'retried' }>): WritError {
  if (answer.kind === 'not-found') return new WritError('NOT_FOUND', `the job of ${taskId} is gone: push the same manifest again`);
  return new WritError('WRONG_STATE', `${taskId} has not failed (any more): its job is ${answer.state}`);
}
