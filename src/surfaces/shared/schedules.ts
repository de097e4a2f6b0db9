import type { ScheduleAction, ScheduleRequest, ScheduleView } from '../../contracts/index.ts';
import { TaskId } from '../../contracts/index.ts';
import { audited } from '../../core/audited.ts';
import { WritError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AuditLog, OperatorAction, PlanLinker, ScheduleDesk } from '../../core/ports/index.ts';

export interface ScheduleServices {
  readonly schedules: ScheduleDesk;
  readonly audit: AuditLog;
}

/** Who asks for it, on which surface. */
export type ScheduleOperator = Pick<OperatorAction, 'surface' | 'who'>;

/** Plans are linked with the definitions of this host when their schedule is registered. */
export interface AddScheduleServices extends ScheduleServices {
  linker(): Promise<PlanLinker>;
}

/**
 * Registers a schedule, between two records of the audit log.
 *
 * @throws WritError what `ScheduleDesk.add` throws; INVALID_MANIFEST for an envelope that cannot be linked; STORAGE_UNAVAILABLE (the audit
 * log; nothing was done)
 */
export async function addSchedule(wanted: ScheduleRequest, operator: ScheduleOperator, services: AddScheduleServices): Promise<ScheduleView> {
  const { schedules, audit } = services;
  const request = wanted.envelope === undefined || wanted.manifest !== undefined ? wanted : await linked(wanted, services);
  const detail = { cron: request.cron, ...(request.tz === undefined ? {} : { tz: request.tz }) };
  const entry = { ...operator, action: 'schedule.add', subject: request.manifest?.task_id ?? request.id ?? '', detail } as const;
  return audited(audit, entry, () => schedules.add(request));
}

async function linked(request: ScheduleRequest, { linker }: AddScheduleServices): Promise<ScheduleRequest> {
  const { envelope } = (await linker()).link(request.envelope);
  return { ...request, envelope, id: request.id ?? ownId(envelope) };
}

/** The id that an envelope brings along. */
function ownId(envelope: JsonObject): string {
  const id = TaskId.safeParse((envelope['header'] as JsonObject)['id']);
  if (id.success) return id.data;
  throw new WritError('INVALID_ARGUMENT', "a schedule of plans needs an id: the envelope's header.id cannot be one", { field: 'id' });
}

/** Pauses, resumes or removes one, between two records of the audit log. */
export function actOnSchedule(id: string, action: ScheduleAction, operator: ScheduleOperator, { schedules, audit }: ScheduleServices): Promise<ScheduleView> {
  return audited(audit, { ...operator, action: `schedule.${action}`, subject: id }, () => schedules.act(id, action));
}
