import type { ScheduleAction, ScheduleDefinition, ScheduleFiring, ScheduleRequest, ScheduleView, TaskJob } from '../../contracts/index.ts';
import type { PushOptions, Receipt } from './enqueue.ts';

/** A schedule in the kernel's store. Planned times and cursors are whole minutes since 1970. */
export interface StoredSchedule {
  readonly id: string;
  readonly definition: ScheduleDefinition;
  readonly state: ScheduleView['state'];
  /** Up to where every planned time is decided. */
  readonly cursor: number;
  /** The planned time after the cursor. */
  readonly next: number | undefined;
  readonly by: string | undefined;
  /** Milliseconds since 1970 of the registration. */
  readonly at: number;
}

export type FiringState = ScheduleFiring['state'];

/** One planned time of a schedule, and what became of it (docs/protocol.md 11). */
export interface Firing {
  readonly taskId: string;
  readonly schedule: string;
  readonly planned: number;
  readonly manifestSha256: string;
  /** Canonical text. */
  readonly manifest: string;
  readonly terms: Pick<ScheduleDefinition, 'ttl' | 'attempts' | 'priority'>;
  readonly state: FiringState;
  readonly detail: string | undefined;
  readonly pushes: number;
  /** Milliseconds since 1970; undefined when nothing more comes. */
  readonly lookAt: number | undefined;
}

/** Who did what to a schedule. */
export interface ScheduleAuditEntry {
  readonly action: 'add' | ScheduleAction;
  readonly schedule: string;
  readonly by: string | undefined;
  readonly details: object;
}

/** The schedules of a kernel: part of its store, synchronous and durable when a call returns. */
export interface ScheduleStore {
  schedule(id: string): StoredSchedule | undefined;
  /** In the order of their ids. */
  schedules(): readonly StoredSchedule[];
  /** Active ones that have reached a planned time, or whose cursor the clock has not reached. */
  ripe(minute: number): readonly StoredSchedule[];
  /** Writes a schedule anew or over the one that is there, and who did it, in one transaction. */
  put(schedule: StoredSchedule, audit: ScheduleAuditEntry, now: number): void;
  /** Removes the schedule; its firings stay, and those that are due are skipped. */
  remove(id: string, audit: ScheduleAuditEntry, now: number): void;
  /** Moves the cursor and writes the firings, in one transaction. A firing that stands stays, unless it was skipped. */
  decide(schedule: Pick<StoredSchedule, 'id' | 'cursor' | 'next'>, firings: readonly Firing[]): void;
  firing(taskId: string): Firing | undefined;
  /** The newest first. */
  firings(schedule: string, limit: number): readonly Firing[];
  /** Those that are on the queue. */
  pushed(schedule: string): readonly Firing[];
  /** How many are due or pushed. */
  open(schedule: string): number;
  toLookAt(now: number, limit: number): readonly Firing[];
  /** Up to where nothing is made any more, a minute; -1 where everything is still on record. */
  floor(schedule: string): number;
  /**
   * Forgets firings that have ended, planned before the minute, but of each schedule not the newest `keep`; the floor rises to what was
   * forgotten, in the same transaction. The oldest first, at most `limit`; answers how many.
   */
  trim(before: number, keep: number, limit: number): number;
  update(taskId: string, change: Pick<Firing, 'state' | 'detail' | 'pushes' | 'lookAt'>): void;
}

/** Where the task of a firing stands, by what executors have signed. */
export type FiringStanding =
  | { readonly kind: 'open' }
  /** Redis knows nothing of it, or has no job for it. */
  | { readonly kind: 'unknown' }
  /** Something claims an end, and nobody has signed it. */
  | { readonly kind: 'unproven' }
  /** `code`: SUCCESS, or that of the signed FAILURE. */
  | { readonly kind: 'ended'; readonly code: string };

/** The way of a firing to the workers and back. Throws WritError REDIS_UNAVAILABLE, REDIS_FULL, INVALID_MANIFEST. */
export interface FiringLane {
  push(job: TaskJob, options: PushOptions): Promise<Receipt>;
  standing(taskId: string): Promise<FiringStanding>;
  /** Calls that run fail soon. */
  interrupt?(): void;
  close?(): Promise<void>;
}

/** Schedules as operators work with them. */
export interface ScheduleDesk {
  /**
   * Registers a schedule. The same once more has the same answer.
   *
   * @throws WritError INVALID_ARGUMENT (`cron`, `tz`), WRONG_STATE where the id belongs to another definition, and what a lease
   * for the manifest is refused with
   */
  add(request: ScheduleRequest): Promise<ScheduleView>;
  list(): Promise<readonly ScheduleView[]>;
  /** @throws WritError NOT_FOUND */
  show(id: string): Promise<ScheduleView>;
  /** May be repeated. The schedule as it stands then; a removed one as it stood. @throws WritError NOT_FOUND */
  act(id: string, action: ScheduleAction): Promise<ScheduleView>;
}
