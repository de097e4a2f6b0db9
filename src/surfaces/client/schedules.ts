import type { ScheduleList, ScheduleRequest, ScheduleView } from './schedule-types.ts';
import type { CallOptions } from './tasks.ts';
import type { Transport } from './transport.ts';

/** Tasks or plans at the times of a cron expression. */
export interface SchedulesApi {
  /** Registers a schedule; the same again has the same answer. Needs the role `kernel`, as `pause`, `resume` and `remove` do. */
  add(request: ScheduleRequest, options?: CallOptions): Promise<ScheduleView>;
  /** Needs the role `read`, `operate` or `kernel`. */
  list(options?: CallOptions): Promise<ScheduleList>;
  /** With its last firings. */
  get(id: string, options?: CallOptions): Promise<ScheduleView>;
  /** It makes nothing until `resume`, and does not make up for them. */
  pause(id: string, options?: CallOptions): Promise<ScheduleView>;
  resume(id: string, options?: CallOptions): Promise<ScheduleView>;
  /** Answers the schedule as it stood. Not repeated by itself: the second answer would be NOT_FOUND. */
  remove(id: string, options?: CallOptions): Promise<ScheduleView>;
}

export function createSchedules(transport: Transport): SchedulesApi {
  const pathOf = (id: string): string => `/v1/schedules/${encodeURIComponent(id)}`;
  const act =
    (action: string, repeatable: boolean) =>
    async (id: string, { signal }: CallOptions = {}): Promise<ScheduleView> =>
      (await transport.json<ScheduleView>({ method: 'POST', path: `${pathOf(id)}/${action}`, signal, repeatable })).body;
  return {
    add: async (request, { signal } = {}) =>
      (await transport.json<ScheduleView>({ method: 'POST', path: '/v1/schedules', json: request, signal, repeatable: true })).body,
    list: async ({ signal } = {}) => (await transport.json<ScheduleList>({ method: 'GET', path: '/v1/schedules', signal, repeatable: true })).body,
    get: async (id, { signal } = {}) => (await transport.json<ScheduleView>({ method: 'GET', path: pathOf(id), signal, repeatable: true })).body,
    pause: act('pause', true),
    resume: act('resume', true),
    remove: act('remove', false),
  };
}
