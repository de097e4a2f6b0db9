import type { ScheduleAction, ScheduleRequest, ScheduleView } from '../../contracts/index.ts';
import { audited } from '../../core/audited.ts';
import type { AuditLog, OperatorAction, ScheduleDesk } from '../../core/ports/index.ts';

export interface ScheduleServices {
  readonly schedules: ScheduleDesk;
  readonly audit: AuditLog;
}

/** Who asks for it, on which surface. */
export type ScheduleOperator = Pick<OperatorAction, 'surface' | 'who'>;

/**
 * Registers a schedule, between two records of the audit log.
 *
 * @throws WritError what `ScheduleDesk.add` throws, STORAGE_UNAVAILABLE (the audit log; nothing was done)
 */
export function addSchedule(request: ScheduleRequest, operator: ScheduleOperator, { schedules, audit }: ScheduleServices): Promise<ScheduleView> {
  const detail = { cron: request.cron, ...(request.tz === undefined ? {} : { tz: request.tz }) };
  const entry = { ...operator, action: 'schedule.add', subject: request.manifest.task_id, detail } as const;
  return audited(audit, entry, () => schedules.add(request));
}

/** Pauses, resumes or removes one, between two records of the audit log. */
export function actOnSchedule(id: string, action: ScheduleAction, operator: ScheduleOperator, { schedules, audit }: ScheduleServices): Promise<ScheduleView> {
  return audited(audit, { ...operator, action: `schedule.${action}`, subject: id }, () => schedules.act(id, action));
}
