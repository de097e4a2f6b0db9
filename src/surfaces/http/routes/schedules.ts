import { z } from 'zod';
import { ScheduleAction, ScheduleList, ScheduleRequest, ScheduleView, TaskId } from '../../../contracts/index.ts';
import { actOnSchedule, addSchedule } from '../../shared/schedules.ts';
import { route } from '../route.ts';

const Id = TaskId.meta({ description: "The `task_id` of the schedule's manifest, or the id of a schedule of plans." });
const FRESH = { 'cache-control': 'no-store' };

export const registerSchedule = route({
  method: 'POST',
  path: '/v1/schedules',
  operation: 'addSchedule',
  summary: 'Make a task or a plan at each time of a cron expression',
  description:
    "A manifest, whose `task_id` is the schedule's id, or an envelope, linked now and kept like that; each firing is a task or plan of its own, " +
    'whose lease the kernel signs at its planned time. ' +
    'The same once more has the same answer; another definition under the id is WRONG_STATE. Audited.',
  tag: 'schedules',
  access: ['kernel'],
  body: ScheduleRequest,
  responses: { 201: { description: 'It is registered, and kept by the kernel.', schema: ScheduleView } },
  problems: [
    ...(['INVALID_MANIFEST', 'INVALID_ARGUMENT', 'LEASE_REFUSED', 'HRC_REQUIRED', 'WRONG_STATE', 'KERNEL_UNAVAILABLE'] as const),
    'STORAGE_UNAVAILABLE',
  ],
  async handle({ body, caller, services }) {
    const { schedules } = await services.kernel(caller);
    const registry = { schedules, audit: services.audit, linker: async () => services.plans.preview };
    return { status: 201, body: await addSchedule(body, { surface: 'http', who: caller.name }, registry), headers: FRESH };
  },
});

export const listSchedules = route({
  method: 'GET',
  path: '/v1/schedules',
  operation: 'listSchedules',
  summary: 'The schedules of the kernel',
  tag: 'schedules',
  access: ['read', 'operate', 'kernel'],
  responses: { 200: { description: 'Every schedule, in the order of their ids.', schema: ScheduleList } },
  problems: ['KERNEL_UNAVAILABLE'],
  async handle({ caller, services }) {
    const body: ScheduleList = { schedules: [...(await (await services.kernel(caller)).schedules.list())] };
    return { status: 200, body, headers: FRESH };
  },
});

export const readSchedule = route({
  method: 'GET',
  path: '/v1/schedules/:id',
  operation: 'getSchedule',
  summary: 'A schedule, with its last firings',
  tag: 'schedules',
  access: ['read', 'operate', 'kernel'],
  params: z.strictObject({ id: Id }),
  responses: { 200: { description: 'The schedule and at most 50 firings, the newest first.', schema: ScheduleView } },
  problems: ['NOT_FOUND', 'INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE'],
  async handle({ params, caller, services }) {
    return { status: 200, body: await (await services.kernel(caller)).schedules.show(params.id), headers: FRESH };
  },
});

export const actOnOneSchedule = route({
  method: 'POST',
  path: '/v1/schedules/:id/:action',
  operation: 'actOnSchedule',
  summary: 'Pause, resume or remove a schedule',
  description: 'What comes while it is paused is not made up for. `remove` answers the schedule as it stood; tasks that are on the queue go on. Audited.',
  tag: 'schedules',
  access: ['kernel'],
  params: z.strictObject({ id: Id, action: ScheduleAction }),
  responses: { 200: { description: 'The schedule as it stands now; a removed one as it stood.', schema: ScheduleView } },
  problems: ['NOT_FOUND', 'INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ params, caller, services }) {
    const { schedules } = await services.kernel(caller);
    const body = await actOnSchedule(params.id, params.action, { surface: 'http', who: caller.name }, { schedules, audit: services.audit });
    return { status: 200, body };
  },
});
