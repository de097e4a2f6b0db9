import { type JobState as BullState, Job, type Queue } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { TaskJob } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { manifestSha256 } from '../src/core/hash.ts';
import type { JobState } from '../src/core/ports/index.ts';
import { MAX_PLAN_BYTES } from './catalog.ts';
import { MAX_FIELD_CHARS } from './job-bounds.ts';
import { isTooHeavy, jobWeight } from './job-weight.ts';

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

/** @param connection the queue's own */
export async function findJob(queue: Queue<unknown>, connection: RedisConnection, jobId: string): Promise<FoundJob | undefined> {
  const read = await readJob(queue, connection, jobId);
  if (!read) return undefined;
  return { ...read, state: STATES[await read.job.getState()] };
}

/**
 * BullMQ parses data and options of a job's hash; what somebody wrote by hand may be no JSON, or of any size. It is weighed
 * first. Most pushes are of new tasks: for a job that is not there one small command is all that is asked.
 */
async function readJob(queue: Queue<unknown>, connection: RedisConnection, jobId: string): Promise<Omit<FoundJob, 'state'> | undefined> {
  const key = queue.toKey(jobId);
  const { exists, bytes } = await jobWeight(connection, key);
  if (!exists) return undefined;
  if (isTooHeavy(bytes, MAX_PLAN_BYTES)) return damagedJob(queue, connection, jobId);
  try {
    const job = await queue.getJob(jobId);
    return job && { job, unreadable: false };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return damagedJob(queue, connection, jobId);
  }
}

/** The fields of a damaged job that are looked at, when they are short enough. */
const LOOKED_AT = ['name', 'atm', 'ats', 'timestamp', 'failedReason', 'data'] as const;

/** The job as far as it can be read; its data is the raw text, which is no task, and empty when it is too large to be one. */
async function damagedJob(queue: Queue<unknown>, connection: RedisConnection, jobId: string): Promise<Omit<FoundJob, 'state'>> {
  const key = queue.toKey(jobId);
  const lengths = await Promise.all(LOOKED_AT.map((field) => connection.hstrlen(key, field)));
  const most = (field: string): number => (field === 'data' ? MAX_PLAN_BYTES : MAX_FIELD_CHARS);
  // A field that is too long is asked for under a name that no job has.
  const values = await connection.hmget(key, ...LOOKED_AT.map((field, at) => ((lengths[at] ?? 0) > most(field) ? '' : field)));
  const hash: Readonly<Record<string, string | null | undefined>> = Object.fromEntries(LOOKED_AT.map((field, at) => [field, values[at]]));
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

function number(text: string | null | undefined): number {
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
