/** Schedules: the part of the kernel that makes tasks by the clock. */
import type { Alarm, AlarmOptions } from './alarm.ts';
import { createAlarm } from './alarm.ts';
import { createScheduleRegistry, type ScheduleRegistry } from './desk.ts';

export interface Schedules {
  readonly registry: ScheduleRegistry;
  readonly alarm: Alarm;
}

/** The register of schedules and the alarm clock that makes their firings; nothing runs before the alarm is started. */
export function createSchedules(
  options: Omit<AlarmOptions, 'kernel'> & { readonly kernel: AlarmOptions['kernel'] & Parameters<typeof createScheduleRegistry>[0]['kernel'] },
): Schedules {
  return { registry: createScheduleRegistry(options), alarm: createAlarm(options) };
}
