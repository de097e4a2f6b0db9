import type { Envelope, TaskManifest } from './types.ts';

/**
 * A manifest or an envelope, and not both, of which the kernel makes a task or a plan at each time of `cron`; what is left out has the default
 * that docs/producers.md states.
 */
export interface ScheduleRequest {
  /** Its `task_id` is the schedule's id. */
  manifest?: TaskManifest | undefined;
  /** Linked when it is registered, and kept like that. */
  envelope?: Envelope | undefined;
  /** Of a schedule of plans; the envelope's `header.id` unless given. */
  id?: string | undefined;
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** IANA name. */
  tz?: string | undefined;
  /** `all` needs `overlap: 'allow'`. */
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
  manifest?: TaskManifest | undefined;
  /** Of a schedule of plans: the hash of the linked envelope, as `writ plan check` prints it. */
  plan_sha256?: string | undefined;
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

/** One task or plan that a schedule made, or left out. */
export interface ScheduleFiring {
  task_id?: string | undefined;
  plan_id?: string | undefined;
  planned: string;
  state: 'due' | 'pushed' | 'ended' | 'refused' | 'skipped';
  detail?: string | undefined;
  pushes: number;
}

export interface ScheduleView extends ScheduleDefinition {
  id: string;
  state: 'active' | 'paused';
  manifest_sha256?: string | undefined;
  registered_at: string;
  registered_by?: string | undefined;
  next?: string | undefined;
  firings?: ScheduleFiring[] | undefined;
}

export interface ScheduleList {
  schedules: ScheduleView[];
}
