import { TaskJob, TOOL_CALL } from '../src/contracts/index.ts';
import type { PushOptions, Receipt, RetryAnswer, RetryOptions } from '../src/core/ports/index.ts';
import type { FoundJob } from './job-lookup.ts';
import type { EnqueueDeps, ShardQueue } from './push.ts';
import { rerunJob } from './push-table.ts';

export type PlacedJob = FoundJob & ShardQueue;
export type FindJob = (taskId: string, name?: string, jobId?: string) => Promise<PlacedJob | undefined>;

/** How a job comes to another queue than the one that it failed on. */
export interface Moves {
  queueOf(job: TaskJob): string;
  push(job: TaskJob, options: PushOptions): Promise<Receipt>;
}

/** Looks for the failed job of a task and runs it again, where its lease is good for. */
export async function retryFound(
  taskId: string,
  options: RetryOptions,
  find: FindJob,
  { ledger, clock, ...moves }: Pick<EnqueueDeps, 'ledger' | 'clock'> & Moves,
): Promise<RetryAnswer> {
  const found = await find(taskId, options.queue, options.jobId);
  if (!found) return { kind: 'not-found' };
  if (found.state !== 'failed') return { kind: 'wrong-state', state: found.state };
  await ledger.clearCancel(taskId, clock.now());
  const { data } = found.job;
  const renewed = options.lease !== undefined && typeof data === 'object' && data !== null ? { ...data, lease: options.lease } : undefined;
  const moved = await moveCall(found, renewed, moves);
  if (moved) return moved;
  if (await rerunJob(found, renewed)) return { kind: 'retried' };
  return { kind: 'wrong-state', state: (await find(taskId, options.queue, options.jobId))?.state ?? 'absent' };
}

/** A call whose tool has another provider by now: workers of the queue that it failed on would refuse its new lease. `undefined`: it stays. */
async function moveCall({ job, queueName }: PlacedJob, renewed: unknown, { queueOf, push }: Moves): Promise<RetryAnswer | undefined> {
  const data = TaskJob.safeParse(renewed).data;
  if (data?.manifest.capability_id !== TOOL_CALL) return undefined;
  const queue = queueOf(data);
  if (queue === queueName) return undefined;
  // Pushed first: whoever is killed in between leaves a failed job behind, and no task without one.
  const { kind } = await push(data, { queue, attempts: job.opts.attempts ?? 1 });
  await job.remove();
  return MOVED[kind];
}

const MOVED = {
  accepted: { kind: 'retried' },
  retried: { kind: 'retried' },
  'in-flight': { kind: 'retried' },
  finished: { kind: 'wrong-state', state: 'completed' },
  conflict: { kind: 'wrong-state', state: 'absent' },
} satisfies Record<Receipt['kind'], RetryAnswer>;
