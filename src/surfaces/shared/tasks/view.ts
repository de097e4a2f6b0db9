import type { TaskView } from '../../../contracts/index.ts';
import { causeOfResult, failureCause } from '../../../core/failure-cause.ts';
import { wellFormed } from '../../../core/i-json.ts';
import type { SignatureReader } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';
import { unprovenTask } from './task-id.ts';
import type { TaskStatus } from './task-status.ts';

/** A status that there is something to show of. */
export type KnownTaskStatus = Exclude<TaskStatus, { state: 'unknown' | 'unproven' }>;

type UnprovenTask = Extract<TaskStatus, { state: 'unproven' }>;

const MAX_MESSAGE = 2000;

/**
 * A task as it stands.
 *
 * @throws WritError INVALID_RESULT when no executor that is trusted here has signed what is stored as its outcome
 */
export function shownTask(taskId: string, status: KnownTaskStatus | UnprovenTask, signatures: Pick<SignatureReader, 'peek'>): TaskView {
  if (status.state === 'unproven') throw unprovenTask(taskId);
  return taskViewOf(taskId, status, signatures);
}

/** A task as HTTP shows it. Jobs are written by others: what does not fit the contract is left out. */
export function taskViewOf(taskId: string, status: KnownTaskStatus, signatures: Pick<SignatureReader, 'peek'>): TaskView {
  return { task_id: taskId, ...jobPart(status, signatures), ...statePart(status) };
}

function statePart(status: KnownTaskStatus): Pick<TaskView, 'state' | 'result' | 'cause' | 'message' | 'cancel_requested' | 'since'> {
  switch (status.state) {
    case 'finished':
      return { state: status.outcome.status === 'SUCCESS' ? 'success' : 'failure', result: status.outcome, ...given('cause', causeOfResult(status.outcome)) };
    case 'malformed':
      return { state: 'failure', message: wellFormed(status.message.slice(0, MAX_MESSAGE)), cause: failureCause('INVALID_MANIFEST', '') };
    case 'running':
      return { state: 'running', cancel_requested: status.cancelRequested, ...given('since', timeOf(status.since)) };
    case 'waiting':
      return {
        state: status.job?.state === 'delayed' ? 'delayed' : 'waiting',
        cancel_requested: status.cancelRequested,
        ...given('since', timeOf(status.since)),
      };
  }
}

function jobPart(status: KnownTaskStatus, signatures: Pick<SignatureReader, 'peek'>): Partial<TaskView> {
  const { job } = status;
  const data = jobDataOf(job);
  const finished = status.state === 'finished' ? status : undefined;
  const named = finished?.outcome.output?.['capability_id'];
  const exp = data?.lease === undefined ? undefined : signatures.peek(data.lease)?.exp;
  return {
    ...given('capability_id', data?.manifest.capability_id ?? (typeof named === 'string' ? named : undefined)),
    ...given('queue', job?.queue),
    ...given('queue_paused', status.state === 'waiting' ? job?.queuePaused : undefined),
    ...given('manifest_sha256', finished?.manifestSha256 || data?.manifestSha256),
    ...given('attempts', attemptsOf(status)),
    ...given('submitted_at', job && timeOf(job.addedAt)),
    ...given('not_before', job?.notBefore === undefined ? undefined : timeOf(job.notBefore)),
    ...given('lease_expires_at', exp === undefined ? undefined : timeOf(exp * 1000)),
  };
}

/** BullMQ counts a try when its job ends, a moment after the outcome is recorded: the try that gave the outcome counts here. */
function attemptsOf({ state, job }: KnownTaskStatus): number | undefined {
  const made = job?.attemptsMade;
  if (!Number.isSafeInteger(made) || made === undefined) return undefined;
  if (state !== 'finished') return made;
  // A job that has not begun yet has no try of its own to show beside an outcome that is older than it.
  return job?.state === 'active' ? made + 1 : made || undefined;
}

function given<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [key in K]?: V };
}

/** Years that RFC 3339 can write. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

function timeOf(ms: number): string | undefined {
  return ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : undefined;
}
