import type { ScheduleDesk } from '../../core/ports/index.ts';
import type { KernelCalls } from '../client-http.ts';
import { ScheduleListReply, ScheduleReply } from './wire.ts';

/** The register of schedules over the kernel's socket; `by`: in whose name. */
export function scheduleDesk({ call }: Pick<KernelCalls, 'call'>, by: string): ScheduleDesk {
  return {
    add: (request) => call(ScheduleReply, 'POST', '/schedules', { ...request, by }),
    list: async () => (await call(ScheduleListReply, 'GET', '/schedules')).schedules,
    show: (id) => call(ScheduleReply, 'GET', `/schedules/${encodeURIComponent(id)}`),
    act: (id, action) => call(ScheduleReply, 'POST', '/schedules/act', { id, action, by }),
  };
}
