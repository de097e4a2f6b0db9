import { z } from 'zod';
import { ScheduleAction, ScheduleList, ScheduleRequest, ScheduleView, TaskId } from '../../contracts/index.ts';

/** Schedules over the kernel's socket. */

const By = z.string().min(1).max(256).optional();
export const AddScheduleBody = ScheduleRequest.safeExtend({ by: By });
export const ActScheduleBody = z.strictObject({ id: TaskId, action: ScheduleAction, by: By });
export const ScheduleReply = ScheduleView;
export const ScheduleListReply = ScheduleList;
