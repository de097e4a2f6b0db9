import { z } from 'zod';
import { type ScheduleAction, ScheduleList, ScheduleRequest, ScheduleView, TaskId } from '../../../contracts/index.ts';
import { actOnSchedule, addSchedule } from '../../shared/schedules.ts';
import { type AnyTool, LOOKS_ONLY, type ToolCall, tool } from '../tool.ts';

const LOOKERS = ['read', 'operate', 'kernel'] as const;
const CHANGES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

const input = z.strictObject({ id: TaskId.meta({ description: "The schedule: its manifest's task_id, or the id of a schedule of plans." }) });

export const listSchedulesTool = tool({
  name: 'list_schedules',
  title: 'The schedules of the kernel',
  description: 'Every schedule with its cron expression, state and next time.',
  access: LOOKERS,
  annotations: LOOKS_ONLY,
  input: z.strictObject({}),
  output: ScheduleList,
  run: async ({ services }) => ({ schedules: [...(await (await services.kernel()).schedules.list())] }),
});

export const getSchedule = tool({
  name: 'get_schedule',
  title: 'A schedule with its last firings',
  description: 'What it says, when it fires next, and the newest 50 tasks or plans that it made or left out.',
  access: LOOKERS,
  annotations: LOOKS_ONLY,
  input,
  output: ScheduleView,
  run: async ({ input: { id }, services }) => (await services.kernel()).schedules.show(id),
});

export const addScheduleTool = tool({
  name: 'add_schedule',
  title: 'Make a task or a plan at each time of a cron expression',
  description:
    "A manifest, whose task_id is the schedule's id, or an envelope, linked now and kept like that; each firing is a task or plan of its own, whose " +
    'lease the kernel signs at its planned time. The same once more has the same answer; another definition under the id is WRONG_STATE. Audited.',
  access: ['kernel'],
  annotations: CHANGES,
  input: ScheduleRequest,
  output: ScheduleView,
  run: async (call) => addSchedule(call.input, operatorOf(call), { ...(await doorOf(call)), linker: async () => (await call.services.plans()).preview }),
});

export const pauseSchedule = acting('pause', 'Pause a schedule', 'It makes no tasks until it is resumed, and does not make up for them.');
export const resumeSchedule = acting('resume', 'Resume a schedule', 'A paused schedule makes tasks again, from now on.');
export const removeSchedule = acting('remove', 'Remove a schedule', 'It makes no tasks any more; those on the queue go on. Answers it as it stood.');

function acting(action: ScheduleAction, title: string, what: string): AnyTool {
  return tool({
    name: `${action}_schedule`,
    title,
    description: `${what} Audited.`,
    access: ['kernel'],
    annotations: { ...CHANGES, destructiveHint: action === 'remove', idempotentHint: action !== 'remove' },
    input,
    output: ScheduleView,
    run: async (call) => actOnSchedule(call.input.id, action, operatorOf(call), await doorOf(call)),
  });
}

function operatorOf({ caller }: Pick<ToolCall<unknown>, 'caller'>) {
  return { surface: 'mcp', who: caller.name } as const;
}

async function doorOf({ services }: Pick<ToolCall<unknown>, 'services'>) {
  return { schedules: (await services.kernel()).schedules, audit: await services.audit() };
}
