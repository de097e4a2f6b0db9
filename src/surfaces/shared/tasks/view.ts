import type { TaskView } from '../../../contracts/index.ts';
import { wellFormed } from '../../../core/i-json.ts';
import type { SignatureReader } from '../../../core/ports/index.ts';
import { jobDataOf } from './job-data.ts';
import type { Standing } from './standing.ts';

/** A standing that there is something to show of. */
export type KnownStanding = Exclude<Standing, { state: 'unknown' }>;

const MAX_MESSAGE = 2000;

/** A task as HTTP shows it. Jobs are written by others: what does not fit the contract is left out. */
export function taskViewOf(taskId: string, standing: KnownStanding, signatures: Pick<SignatureReader, 'peek'>): TaskView {
  return { task_id: taskId, ...jobPart(standing, signatures), ...statePart(standing) };
}

function statePart(standing: KnownStanding): Pick<TaskView, 'state' | 'result' | 'message' | 'cancel_requested' | 'since'> {
  switch (standing.state) {
    case 'finished':
      return { state: standing.outcome.status === 'SUCCESS' ? 'success' : 'failure', result: standing.outcome };
    case 'malformed':
      return { state: 'failure', message: wellFormed(standing.message.slice(0, MAX_MESSAGE)) };
    case 'running':
      return { state: 'running', cancel_requested: standing.cancelRequested, ...given('since', timeOf(standing.since)) };
    case 'waiting':
      return {
        state: standing.job?.state === 'delayed' ? 'delayed' : 'waiting',
        cancel_requested: standing.cancelRequested,
        ...given('since', timeOf(standing.since)),
      };
  }
}

function jobPart(standing: KnownStanding, signatures: Pick<SignatureReader, 'peek'>): Partial<TaskView> {
  const { job } = standing;
  const data = jobDataOf(job);
  const finished = standing.state === 'finished' ? standing : undefined;
  const named = finished?.outcome.output?.['capability_id'];
  const exp = data?.lease === undefined ? undefined : signatures.peek(data.lease)?.exp;
  return {
    ...given('capability_id', data?.manifest.capability_id ?? (typeof named === 'string' ? named : undefined)),
    ...given('queue', job?.queue),
    ...given('manifest_sha256', finished?.manifestSha256 || data?.manifestSha256),
    ...given('attempts', attemptsOf(standing)),
    ...given('submitted_at', job && timeOf(job.addedAt)),
    ...given('lease_expires_at', exp === undefined ? undefined : timeOf(exp * 1000)),
  };
}

/** BullMQ counts a try when its job ends, a moment after the outcome is recorded: the try that gave the outcome counts here. */
function attemptsOf({ state, job }: KnownStanding): number | undefined {
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
