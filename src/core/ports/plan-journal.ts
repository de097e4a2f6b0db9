import type { TrimAnswer } from './executor.ts';

/** The answer that a plan has seen for one step. */
export interface PlanEntry {
  readonly path: string;
  /** How often an operator's retry has voided this place before. */
  readonly generation: number;
  readonly taskId: string;
  /** The executor's signed result. */
  readonly executorResult: string;
  /** The capability of the manifest that it answers; `undefined` in entries from before this was kept. */
  readonly capabilityId: string | undefined;
  /** Ended the plan once; a retry took its word away. */
  readonly voided: boolean;
  /** When it was kept, milliseconds since 1970; `undefined` in entries from before this was kept. */
  readonly at: number | undefined;
}

export interface PlanEnd {
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly code: string | undefined;
  readonly message: string;
  /** The step whose result ended the plan. */
  readonly endedBy: string | undefined;
  /** The signed end, JSON text. */
  readonly result: string;
}

/** What the journal knows of a plan beside its entries and its envelope, which may be large. */
export interface PlanRecord {
  readonly planSha256: string;
  readonly lease: string;
  /** `undefined` while the plan runs. */
  readonly end: PlanEnd | undefined;
  /** Workers lost since the last entry. */
  readonly losses: number;
  /** How many entries the journal has: all, and those of them that a retry has voided. */
  readonly entries: number;
  readonly voided: number;
  /** How often the plan was retried. What a delivery decides counts for the generation that it has read. */
  readonly generation: number;
}

export interface StoredPlan extends PlanRecord {
  /** Canonical text of the linked envelope. */
  readonly envelope: string;
}

/** A plan as far as its last retry. */
export type PlanGeneration = Pick<PlanRecord, 'planSha256' | 'generation'>;

/** Somebody's ask to run a plan, as one of its jobs brings it. */
export interface WishedPlan {
  readonly planSha256: string;
  /** Canonical text of the linked envelope. */
  readonly envelope: string;
  readonly lease: string;
  /** Which ask this is: 64 hexadecimal digits, the same for each delivery that serves it (docs/plan-protocol.md 2, Wishes). */
  readonly wish: string;
  /** A plan that runs already keeps its lease. */
  readonly keepsLease?: boolean;
}

/** A plan that was run so long ago that nothing else is kept of it. It is not run again. */
export interface TrimmedPlan {
  readonly planSha256: string;
  readonly status: PlanEnd['status'];
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** A plan that runs. */
export interface IdlePlan {
  readonly planSha256: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/**
 * The plan role's memory, host-local and fsynced (docs/plan-protocol.md 2). What resolves is on disk.
 * Throws WritError STORAGE_UNAVAILABLE.
 */
export interface PlanJournal {
  /**
   * Serves a wish, and keeps that it did, in one transaction: begins a plan that is not known; a plan that runs goes on, under this lease;
   * one that has failed runs on in its next generation unless the wish was served before, the entry that ended it voided. Answers how the
   * plan then stands, or its line.
   */
  begin(plan: WishedPlan, now: number): Promise<PlanRecord | TrimmedPlan>;
  /** Whether a delivery has served this wish. */
  served(planSha256: string, wish: string): Promise<boolean>;
  /** Keeps the wish of a job that is about to be put back for a plan that runs: nobody asks. False, and nothing is kept, for one that does not run. */
  note(planSha256: string, wish: string): Promise<boolean>;
  record(planSha256: string): Promise<StoredPlan | undefined>;
  /** Of the record only its generation; asked before each step, so nothing waits for it. */
  generation(planSha256: string): Promise<number | undefined>;
  /** In the order in which the plan saw them. */
  entries(planSha256: string): Promise<readonly PlanEntry[]>;
  /** Keeps the first result of a place and generation, and answers with it; `undefined` when a retry has voided it, or the plan was trimmed. */
  append(planSha256: string, entry: Omit<PlanEntry, 'voided' | 'at'>, now: number): Promise<PlanEntry | undefined>;
  /** Keeps the first end, and answers with it; `undefined` when the plan runs in a later generation, or was trimmed. */
  end(plan: PlanGeneration, end: PlanEnd, now: number): Promise<PlanEnd | undefined>;
  /** One more worker was lost; answers how many since the last entry. */
  lose(planSha256: string): Promise<number>;
  /** Plans that run and have not changed since, oldest first; `after` is the last one of the page before. Envelopes are large: `record` has them. */
  running(unchangedSince: number, limit: number, after?: IdlePlan): Promise<readonly IdlePlan[]>;
  /**
   * Trims one portion of the plans that have not changed since `before` (milliseconds since 1970) and do not run: only what
   * once-ness needs of them stays (docs/plan-protocol.md 7). At most `limit` rows are deleted, the oldest plans first; `after`
   * does not matter, since nothing is passed over.
   */
  trim(after: number, before: number, limit: number): Promise<TrimAnswer>;
}
