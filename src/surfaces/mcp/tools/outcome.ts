import type { TaskView } from '../../../contracts/index.ts';
import type { TaskGateway } from '../../../core/ports/index.ts';
import { heldTask, type PauseServices } from '../../shared/paused/held.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import type { Submitter } from '../../shared/tasks/submit.ts';
import { isLast, waitForOutcome } from '../../shared/tasks/task-status.ts';
import { shownTask } from '../../shared/tasks/view.ts';
import type { ToolCall } from '../tool.ts';
import { waitMs } from './shapes.ts';

type AnyCall = Pick<ToolCall<unknown>, 'services' | 'caller' | 'signal'>;

/** The task with its end, if that comes within the wait, else whether its queue is paused; its signature is checked. */
export async function endWithin(
  taskId: string,
  waitS: number | undefined,
  { services, signal }: AnyCall,
  tasks: TaskGateway,
): Promise<{ task?: TaskView; queue_paused?: true }> {
  const timeoutMs = waitMs(waitS, services.maxWaitS);
  if (timeoutMs === 0) return {};
  const status = await waitForOutcome(taskId, tasks, { timeoutMs, signal });
  if (status.state === 'unknown' || !isLast(status)) return heldTask(status);
  return { task: shownTask(taskId, status, await services.signatures()) };
}

export async function operatorServices({ services }: AnyCall): Promise<OperatorServices> {
  const { regrantByDefault, clock } = services;
  return { tasks: await services.tasks(), kernel: services.kernel, signatures: services.signatures, regrantByDefault, clock };
}

/** What tells whether a plan is held up by a paused queue. */
export async function pauseServices({ services }: AnyCall): Promise<PauseServices> {
  return { tasks: await services.tasks(), queues: await services.queues?.() };
}

export function submitter({ name, roles }: AnyCall['caller']): Submitter {
  return { surface: 'mcp', name, roles };
}

/** The words of receipts, as HTTP has them. */
export const RECEIPTS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried', finished: 'finished' } as const;
