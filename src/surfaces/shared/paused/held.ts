import type { PlanStatus } from '../../../contracts/index.ts';
import type { PlanView, QueueControl, TaskGateway } from '../../../core/ports/index.ts';
import { hasEnded, planStatusOf } from '../plans/view.ts';
import type { TaskStatus } from '../tasks/task-status.ts';

/** What tells whether a queue is paused. A surface without queues has none, and nothing is told. */
export interface PauseServices {
  readonly tasks: Pick<TaskGateway, 'enqueue'>;
  readonly queues: Pick<QueueControl, 'paused' | 'pausedAround'> | undefined;
}

/** `queue_paused` of a task that was waited for in vain. */
export function heldTask(status: TaskStatus): { readonly queue_paused?: true } {
  return status.state === 'waiting' && status.job?.queuePaused === true ? { queue_paused: true } : {};
}

/**
 * `paused_queue` of a plan that has not ended: the queue in which its step waits, else the one in which the plan itself does.
 * Never throws: whoever waits is told something else already.
 */
export async function heldPlan(view: PlanView, { tasks, queues }: PauseServices): Promise<{ readonly paused_queue?: string }> {
  if (queues === undefined || hasEnded(view)) return {};
  try {
    if ((await queues.paused()).length === 0) return {};
    const { taskId, waits } = view.current ?? {};
    // Who waits for a time or for somebody's word has no job on a queue.
    const step = taskId === undefined || waits !== undefined ? undefined : await tasks.enqueue.jobState(taskId);
    const queue = step?.queuePaused === true ? step.queue : await queues.pausedAround(view.id);
    return queue === undefined ? {} : { paused_queue: queue };
  } catch {
    return {};
  }
}

/** The lane of messages of a pool: `message-index`, or `message-index@<pool>`. */
const INGEST = /^message-index(?:@|$)/;

/** `queue_paused` of messages that were waited for in vain: their writer takes none. Never throws. */
export async function heldIngest(queues: Pick<QueueControl, 'paused'> | undefined): Promise<{ readonly queue_paused?: true }> {
  try {
    return (await queues?.paused())?.some((name) => INGEST.test(name)) === true ? { queue_paused: true } : {};
  } catch {
    return {};
  }
}

/** A plan as every surface shows it, with what holds it up. */
export async function heldPlanStatus(view: PlanView, withResult: boolean, services: PauseServices): Promise<PlanStatus> {
  return { ...planStatusOf(view, withResult), ...(await heldPlan(view, services)) };
}
