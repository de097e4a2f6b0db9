import { z } from 'zod';
import { Sha256Hex, TaskId, TaskReceipt } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { heldTask } from '../../shared/paused/held.ts';
import { cancelPlan } from '../../shared/plans/operate.ts';
import { cancelTask } from '../../shared/tasks/cancel.ts';
import { tool } from '../tool.ts';
import { operatorServices } from './outcome.ts';
import { taskId, waitMs, waitS } from './shapes.ts';

const ENDS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false } as const;

export const cancelTaskTool = tool({
  name: 'cancel_task',
  title: 'Ask that a task does nothing',
  description: 'A cancel is a request: whether it came in time is decided by the outcome, which wait_s waits for. Audited.',
  access: ['operate'],
  annotations: ENDS,
  input: z.strictObject({ task_id: taskId, wait_s: waitS }),
  output: z.strictObject({
    task_id: TaskId,
    cancel: z.enum(['cancelled', 'requested']).meta({ description: 'cancelled: nothing was done. requested: get_task tells how it ends.' }),
    queue_paused: TaskReceipt.shape.queue_paused.meta({
      description: 'The wait was in vain because the queue is paused: no worker takes the task, nor its cancel.',
    }),
  }),
  async run(call) {
    const { input, services, caller, signal } = call;
    const operator = await operatorServices(call);
    const entry = { surface: 'mcp', who: caller.name, action: 'task.cancel', subject: input.task_id } as const;
    const wait = { timeoutMs: waitMs(input.wait_s, services.maxWaitS), signal };
    const cancelled = await audited(await services.audit(), entry, () => cancelTask(input.task_id, wait, operator));
    const held = cancelled.kind === 'requested' && wait.timeoutMs > 0 ? heldTask(cancelled.status) : {};
    return { task_id: input.task_id, cancel: cancelled.kind, ...held };
  },
});

export const cancelPlanTool = tool({
  name: 'cancel_plan',
  title: 'Ask that a plan goes no further',
  description: 'It ends with CANCELLED before its next step; a step that has begun is finished, and its effect stands. Audited.',
  access: ['operate'],
  annotations: ENDS,
  input: z.strictObject({ plan_id: Sha256Hex.meta({ description: 'The plan.' }) }),
  output: z.strictObject({ plan_id: Sha256Hex, cancel: z.literal('requested') }),
  async run({ input: { plan_id: id }, services, caller }) {
    const { plans } = await services.plans();
    const entry = { surface: 'mcp', who: caller.name, action: 'plan.cancel', subject: id } as const;
    await audited(await services.audit(), entry, () => cancelPlan(id, plans));
    return { plan_id: id, cancel: 'requested' } as const;
  },
});
