import { z } from 'zod';
import { Sha256Hex, TaskId } from './ids.ts';
import { OfferedManifest } from './task-manifest.ts';

/** Schedules: a manifest or an envelope of which the kernel makes tasks or plans, at times of a cron expression. */

const Time = z.iso.datetime({ precision: 3 });

const when = {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: z.string().min(1).max(200),
  /** IANA name of a time zone. */
  tz: z.string().min(1).max(64),
  /** Times at which no kernel was there: the newest is made up for (`latest`), the newest 100 (`all`), or none (`skip`). */
  missed: z.enum(['latest', 'all', 'skip']),
  /** While an earlier firing has not ended: this one is left out (`skip`), or made all the same (`allow`). */
  overlap: z.enum(['skip', 'allow']),
  /** A time that clocks set forward leave out: at the end of the gap (`after`), or not at all (`skip`). */
  gap: z.enum(['after', 'skip']),
  /** A time that clocks set back show twice: the `first` time, or `both`. */
  fold: z.enum(['first', 'both']),
};
const terms = {
  /** Life of each lease in seconds, from its planned time on. */
  ttl: z.int().min(1).optional(),
  /** Total number of tries for retryable codes; of tasks only: a plan declares its retries. */
  attempts: z.int().min(1).max(100).optional(),
  /** BullMQ's: 0 before all others, then 1 before 2. */
  priority: z.int().min(0).max(2_097_152).optional(),
};

/** What a schedule says, with every setting filled in: a manifest, or the hash of the linked envelope that the kernel keeps. */
export const ScheduleDefinition = z.strictObject({ manifest: OfferedManifest.optional(), plan_sha256: Sha256Hex.optional(), ...when, ...terms });
export type ScheduleDefinition = z.infer<typeof ScheduleDefinition>;

/** All that was missed is made at one time: with `skip` the oldest alone would be made, and the rest left out for it. */
const MADE_UP_ONE_BY_ONE = 'must be allow where missed is all: else only the oldest missed time is made up for';

/** `POST /v1/schedules`: a manifest, whose `task_id` is the schedule's id, or an envelope. */
export const ScheduleRequest = z
  .strictObject({
    manifest: OfferedManifest.optional().meta({ description: 'Each firing is a task. Its `task_id` is the id of the schedule.' }),
    envelope: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Each firing is a plan. Linked when it is registered, and kept like that; in place of `manifest`.' }),
    id: TaskId.optional().meta({ description: 'Of a schedule of plans; `header.id` of the envelope unless given.' }),
    cron: when.cron,
    tz: when.tz.optional().meta({ description: 'UTC unless given.' }),
    missed: when.missed.optional().meta({ description: '`latest` unless given; `all` needs `overlap` to be `allow`.' }),
    overlap: when.overlap.optional().meta({ description: '`skip` unless given.' }),
    gap: when.gap.optional().meta({ description: '`after` unless given.' }),
    fold: when.fold.optional().meta({ description: '`first` unless given; `both` where the hour field begins with `*`.' }),
    ...terms,
  })
  .refine(({ missed, overlap }) => missed !== 'all' || overlap === 'allow', { path: ['overlap'], message: MADE_UP_ONE_BY_ONE });
export type ScheduleRequest = z.infer<typeof ScheduleRequest>;

/** One task or plan that a schedule made, or left out. */
export const ScheduleFiring = z.strictObject({
  /** Of a task. */
  task_id: TaskId.optional(),
  /** Of a plan: `plan_sha256`. */
  plan_id: Sha256Hex.optional(),
  planned: Time,
  /** `due`: decided, not yet on the queue. `pushed`: on the queue. */
  state: z.enum(['due', 'pushed', 'ended', 'refused', 'skipped']),
  /** SUCCESS or the error code of what ended or was refused; why it was skipped: `missed`, `overlap`, `removed`. */
  detail: z.string().optional(),
  /** How often it was put on the queue. */
  pushes: z.int(),
});
export type ScheduleFiring = z.infer<typeof ScheduleFiring>;

/** A schedule as it stands. */
export const ScheduleView = z.strictObject({
  id: TaskId,
  state: z.enum(['active', 'paused']),
  ...ScheduleDefinition.shape,
  manifest_sha256: Sha256Hex.optional(),
  registered_at: Time,
  registered_by: z.string().optional(),
  /** The next planned time; absent while it is paused. */
  next: Time.optional(),
  /** The newest first, at most 50; absent in lists. */
  firings: z.array(ScheduleFiring).optional(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

/** `GET /v1/schedules`, in the order of their ids. */
export const ScheduleList = z.strictObject({ schedules: z.array(ScheduleView) });
export type ScheduleList = z.infer<typeof ScheduleList>;

/** What one does to a schedule that is registered. */
export const ScheduleAction = z.enum(['pause', 'resume', 'remove']);
export type ScheduleAction = z.infer<typeof ScheduleAction>;
