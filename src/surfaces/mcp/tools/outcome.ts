import type { TaskView } from '../../../contracts/index.ts';
import type { TaskDoor } from '../../../core/ports/index.ts';
import type { OperatorDoors } from '../../shared/tasks/operator.ts';
import { shownTask } from '../../shared/tasks/shown-task.ts';
import type { Submitter } from '../../shared/tasks/submit.ts';
import { isLast, waitForOutcome } from '../../shared/tasks/wait.ts';
import type { ToolCall } from '../tool.ts';
import { waitMs } from './shapes.ts';

type AnyCall = Pick<ToolCall<unknown>, 'services' | 'caller' | 'signal'>;

/** The task with its end, if that comes within the wait; its signature is checked. */
export async function endWithin(taskId: string, waitS: number | undefined, { services, signal }: AnyCall, tasks: TaskDoor): Promise<{ task?: TaskView }> {
  const timeoutMs = waitMs(waitS, services.maxWaitS);
  if (timeoutMs === 0) return {};
  const standing = await waitForOutcome(taskId, tasks, { timeoutMs, signal });
  if (standing.state === 'unknown' || !isLast(standing)) return {};
  return { task: await shownTask(taskId, standing, await services.signatures(), true) };
}

export async function operatorDoors({ services }: AnyCall): Promise<OperatorDoors> {
  const { regrantByDefault, clock } = services;
  return { tasks: await services.tasks(), kernel: services.kernel, signatures: services.signatures, regrantByDefault, clock };
}

export function submitter({ name, roles }: AnyCall['caller']): Submitter {
  return { surface: 'mcp', name, roles };
}

/** The words of receipts, as HTTP has them. */
export const RECEIPTS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried', finished: 'finished' } as const;
