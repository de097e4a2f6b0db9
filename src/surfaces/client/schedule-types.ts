import type { TaskManifest } from './types.ts';

/** A manifest of which the kernel makes a task at each time of `cron`; what is left out has the default that docs/producers.md states. */
export interface ScheduleRequest {
  /** Its `task_id` is the schedule's id. */
  manifest: TaskManifest;
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** IANA name. */
  tz?: string | undefined;
  missed?: 'latest' | 'all' | 'skip' | undefined;
  overlap?: 'skip' | 'allow' | undefined;
  gap?: 'after' | 'skip' | undefined;
  fold?: 'first' | 'both' | undefined;
  /** Seconds. */
  ttl?: number | undefined;
  attempts?: number | undefined;
  priority?: number | undefined;
}

/** What a schedule says, with every setting filled in. */
export interface ScheduleDefinition {
  manifest: TaskManifest;
  cron: string;
  tz: string;
  missed: 'latest' | 'all' | 'skip';
  overlap: 'skip' | 'allow';
  gap: 'after' | 'skip';
  fold: 'first' | 'both';
  ttl?: number | undefined;
  attempts?: number | undefined;
  priority?: number | undefined;
}

/** One task that a schedule made, or left out. */
export interface ScheduleFiring {
  task_id: string;
  planned: string;
  state: 'due' | 'pushed' | 'ended' | 'refused' | 'skipped';
  detail?: string | undefined;
  pushes: number;
}

export interface ScheduleView extends ScheduleDefinition {
  id: string;
  state: 'active' | 'paused';
  manifest_sha256: string;
  registered_at: string;
  registered_by?: string | undefined;
  next?: string | undefined;
  firings?: ScheduleFiring[] | undefined;
}

export interface ScheduleList {
  schedules: ScheduleView[];
}
