import { type ShownState, TASK_ID_PATTERN, TaskJob } from '../src/contracts/index.ts';
import type { IndexedTask } from '../src/core/ports/index.ts';
import { jsonOf, MAX_LENGTHS, objectOf, reasonOf, shown, timeOf } from './task-feed-text.ts';

/** What the index reads of a job's hash; every field is a stranger's text. */
export interface JobFields {
  readonly queue: string;
  readonly jobId: string;
  /** `undefined`: absent, or too large to be a task. */
  readonly data: string | undefined;
  readonly name: string | null;
  readonly failedReason: string | null;
  readonly timestamp: string | null;
  readonly processedOn: string | null;
  readonly finishedOn: string | null;
  readonly attempts: string | null;
}

/** What is known of a job from where it was found. */
export interface JobSighting {
  readonly state: ShownState;
  /** When it came into this state; by the job's own times when `undefined`. */
  readonly at: number | undefined;
  readonly seenAt: number;
}

const JOB_ID_PREFIX = 't_';

/** The task of a job id as Writ's own producers make it. */
export function taskIdOfJob(jobId: string): string | undefined {
  const taskId = jobId.startsWith(JOB_ID_PREFIX) ? jobId.slice(JOB_ID_PREFIX.length) : '';
  return TASK_ID_PATTERN.test(taskId) ? taskId : undefined;
}

/**
 * The row of a job. A job that is no task is a row too: with the code INVALID_MANIFEST, and under the id that it claims,
 * or its job id. Never throws.
 */
export function taskOfJob(job: JobFields, { state, at, seenAt }: JobSighting): IndexedTask {
  const submittedAt = timeOf(job.timestamp) ?? at ?? seenAt;
  const { code, message } = reasonOf(state === 'failure' ? job.failedReason : '');
  return {
    queue: job.queue,
    jobId: job.jobId,
    state,
    ...tellsOf(job),
    // What the worker said goes first; a job that is no task has its code before a worker has seen it.
    ...(code === undefined ? {} : { errorCode: code }),
    message,
    attempts: Math.min(Number(/^\d{1,9}$/.exec(job.attempts ?? '')?.[0] ?? 0), 1_000_000),
    submittedAt,
    updatedAt: at ?? ownTime(job, state) ?? submittedAt,
    seenAt,
  };
}

function ownTime(job: JobFields, state: ShownState): number | undefined {
  if (state === 'success' || state === 'failure') return timeOf(job.finishedOn);
  return state === 'running' ? timeOf(job.processedOn) : undefined;
}

type Tells = Pick<IndexedTask, 'taskId' | 'capabilityId' | 'errorCode' | 'sourcePath' | 'destinationPath' | 'plan' | 'leaseExpiresAt'>;

function tellsOf(job: JobFields): Tells {
  const data = jsonOf(job.data);
  const parsed = TaskJob.safeParse(data);
  if (!parsed.success) return noTask(job, data);
  const { manifest, lease } = parsed.data;
  return {
    taskId: manifest.task_id,
    capabilityId: shown(manifest.capability_id, MAX_LENGTHS.capability) ?? 'UNKNOWN',
    errorCode: undefined,
    sourcePath: shown(manifest.inputs['source_path'], MAX_LENGTHS.path),
    destinationPath: shown(manifest.inputs['destination_path'], MAX_LENGTHS.path),
    plan: shown(manifest.provenance?.plan_sha256, MAX_LENGTHS.plan),
    leaseExpiresAt: expiryOf(lease),
  };
}

function noTask({ jobId, name }: JobFields, data: unknown): Tells {
  const manifest = objectOf(objectOf(data)['manifest']);
  const claimed = manifest['task_id'];
  const own = typeof claimed === 'string' && TASK_ID_PATTERN.test(claimed) ? claimed : undefined;
  return {
    taskId: taskIdOfJob(jobId) ?? own ?? shown(jobId, MAX_LENGTHS.id) ?? 'UNKNOWN',
    capabilityId: shown(manifest['capability_id'], MAX_LENGTHS.capability) ?? shown(name, MAX_LENGTHS.capability) ?? 'UNKNOWN',
    errorCode: 'INVALID_MANIFEST',
    sourcePath: undefined,
    destinationPath: undefined,
    plan: undefined,
    leaseExpiresAt: undefined,
  };
}

/** When a lease says that it expires, milliseconds. Nothing of it is verified: for showing only. */
function expiryOf(lease: string | undefined): number | undefined {
  const payload = lease?.split('.')[1];
  if (payload === undefined) return undefined;
  const exp = objectOf(jsonOf(Buffer.from(payload, 'base64url').toString('utf8')))['exp'];
  return typeof exp === 'number' && Number.isSafeInteger(exp) && exp >= 0 ? timeOf(String(exp * 1000)) : undefined;
}
