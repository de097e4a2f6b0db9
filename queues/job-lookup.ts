import type { JobState as BullState, Job, Queue } from 'bullmq';
import { TaskJob } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { manifestSha256 } from '../src/core/hash.ts';
import type { JobState } from '../src/core/ports/index.ts';

/** A job and its state, read together closely enough: whoever acts on it is refused by BullMQ when it has moved on. */
export interface FoundJob {
  readonly job: Job<unknown>;
  readonly state: JobState;
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
  const job = await queue.getJob(jobId);
  if (!job) return undefined;
  return { job, state: STATES[await job.getState()] };
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
