import { type JobState as BullState, Job, type Queue } from 'bullmq';
import { TaskJob } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { manifestSha256 } from '../src/core/hash.ts';
import type { JobState } from '../src/core/ports/index.ts';

/** A job and its state, read together closely enough: whoever acts on it is refused by BullMQ when it has moved on. */
export interface FoundJob {
  readonly job: Job<unknown>;
  readonly state: JobState;
  /** The hash holds no JSON where BullMQ writes some: no worker can take it; only its removal helps. */
  readonly unreadable: boolean;
}

/** BullMQ's words for a state, as ours. `unknown`: the job is in none of its lists. */
const STATES: Readonly<Record<BullState | 'unknown', JobState>> = {
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  active: 'active',
  completed: 'completed',
  failed: 'failed',
  unknown: 'absent',
};

export async function findJob(queue: Queue<unknown>, jobId: string): Promise<FoundJob | undefined> {
  const read = await readJob(queue, jobId);
  if (!read) return undefined;
  return { ...read, state: STATES[await read.job.getState()] };
}

/** BullMQ parses data and options of a job's hash; what somebody wrote by hand may be no JSON. */
async function readJob(queue: Queue<unknown>, jobId: string): Promise<Omit<FoundJob, 'state'> | undefined> {
  try {
    const job = await queue.getJob(jobId);
    return job && { job, unreadable: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return damagedJob(queue, jobId);
  }
}

/** The job as far as it can be read; its data is the raw text, which is no task. */
async function damagedJob(queue: Queue<unknown>, jobId: string): Promise<Omit<FoundJob, 'state'> | undefined> {
  const hash = await (await queue.backend.client).hgetall(queue.toKey(jobId));
  if (Object.keys(hash).length === 0) return undefined;
  const json = {
    id: jobId,
    name: hash['name'] ?? '',
    data: JSON.stringify(hash['data'] ?? ''),
    opts: {},
    progress: 0,
    attemptsMade: number(hash['atm']),
    attemptsStarted: number(hash['ats']),
    timestamp: number(hash['timestamp']),
    failedReason: hash['failedReason'] ?? '',
    returnvalue: '',
    stalledCounter: 0,
  };
  return { job: Job.fromJSON(queue, json, jobId), unreadable: true };
}

function number(text: string | undefined): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

/** Hash of the manifest in a job's data; `undefined` when the data is no task job of ours. */
export function manifestHashOf(data: unknown): string | undefined {
  const parsed = TaskJob.safeParse(data);
  if (!parsed.success) return undefined;
  try {
    return manifestSha256(parsed.data.manifest);
  } catch (error) {
    if (isWritError(error)) return undefined;
    throw error;
  }
}
