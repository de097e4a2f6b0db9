import type { FiringLane, FiringStanding, TaskGateway } from '../../../core/ports/index.ts';
import { type FiredPlans, planFirings } from '../plans/plan-firings.ts';
import { readTaskStatus, type TaskStatus } from './task-status.ts';

interface Producer extends AsyncDisposable {
  gateway(): TaskGateway;
}

/** The way of a schedule's firings: pushed like any task or plan, and judged by what executors have signed (docs/protocol.md 11). */
export function firingLane(producer: Producer, plans: FiredPlans & Partial<AsyncDisposable>, connection: { disconnect(): void }): FiringLane {
  const tasks = producer.gateway();
  return {
    push: (job, options) => tasks.enqueue.push(job, options),
    standing: async (taskId) => standingOf(await readTaskStatus(taskId, tasks)),
    ...planFirings(plans),
    interrupt: () => connection.disconnect(),
    async close() {
      await plans[Symbol.asyncDispose]?.();
      await producer[Symbol.asyncDispose]();
    },
  };
}

function standingOf(status: TaskStatus): FiringStanding {
  if (status.state === 'finished') return { kind: 'ended', code: status.outcome.error?.error_code ?? 'SUCCESS' };
  // A row without a job that will run leads to no end, and nobody comes for it: Redis was emptied while a worker took it, or came back
  // as it was before the end, and the job has ended since. The job was asked first: an end that it had seen stood in the row by then.
  const isLeft = KINDS[status.state] === 'open' && 'job' in status && !COMES.has(status.job?.state ?? 'absent');
  return { kind: isLeft ? 'unknown' : KINDS[status.state] };
}

const COMES: ReadonlySet<string> = new Set(['waiting', 'delayed', 'active']);

const KINDS = { waiting: 'open', running: 'open', unknown: 'unknown', unproven: 'unproven', malformed: 'unproven' } satisfies Record<
  Exclude<TaskStatus['state'], 'finished'>,
  Exclude<FiringStanding['kind'], 'ended'>
>;
