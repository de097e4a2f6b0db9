import type { ScheduleAction, ScheduleDefinition, ScheduleFiring, ScheduleRequest, ScheduleView, TaskJob } from '../../contracts/index.ts';
import type { JsonObject } from '../json.ts';
import type { PushOptions, Receipt } from './enqueue.ts';
import type { PlanPushOptions, PlanReceipt } from './plans.ts';

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
  /** Its times count since this minute: that of the registration, or of the last resumption. */
  readonly since: number;
}

/** A linked envelope by its hash. */
export interface StoredEnvelope {
  readonly sha256: string;
  /** Canonical. */
  readonly text: string;
}

export type FiringState = ScheduleFiring['state'];

/** One planned time of a schedule, and what became of it (docs/protocol.md 11, docs/plan-protocol.md 11). */
export interface Firing {
  /** Of the task; `p-<plan_sha256>` for a plan, as in the issue log. */
  readonly taskId: string;
  readonly schedule: string;
  readonly planned: number;
  /** Of the manifest, or of the plan. */
  readonly manifestSha256: string;
  /** Canonical text; of a plan `{envelope_sha256}`, the envelope of which it is made. */
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
  /** Writes a schedule anew or over the one that is there, with its envelope, and who did it, in one transaction. */
  put(schedule: StoredSchedule, audit: ScheduleAuditEntry, now: number, envelope?: StoredEnvelope): void;
  /** The text of a linked envelope that a schedule was registered with, or a firing that has not ended is made of. */
  envelope(sha256: string): string | undefined;
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
   * forgotten, in the same transaction, and envelopes go that nothing needs any more. The oldest first, at most `limit`; answers how many.
   */
  trim(before: number, keep: number, limit: number): number;
  update(taskId: string, change: Pick<Firing, 'state' | 'detail' | 'pushes' | 'lookAt'>): void;
}

/** Where the task or plan of a firing stands, by what executors have signed. */
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
  pushPlan(plan: { readonly envelope: JsonObject; readonly lease: string }, options: PlanPushOptions): Promise<PlanReceipt>;
  /** @param planSha256 of the plan */
  planStanding(planSha256: string): Promise<FiringStanding>;
  /** Calls that run fail soon. */
  interrupt?(): void;
  close?(): Promise<void>;
}

/** Schedules as operators work with them. */
export interface ScheduleDesk {
  /**
   * Registers a schedule; its envelope is the linked one. The same once more has the same answer.
   *
   * @throws WritError INVALID_ARGUMENT (`cron`, `tz`, what does not go together), WRONG_STATE where the id belongs to another definition,
   * and what a lease for the manifest or plan is refused with
   */
  add(request: ScheduleRequest): Promise<ScheduleView>;
  list(): Promise<readonly ScheduleView[]>;
  /** @throws WritError NOT_FOUND */
  show(id: string): Promise<ScheduleView>;
  /** May be repeated. The schedule as it stands then; a removed one as it stood. @throws WritError NOT_FOUND */
  act(id: string, action: ScheduleAction): Promise<ScheduleView>;
}
