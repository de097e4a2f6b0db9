/** A plan of which somebody says that it has ended. */
export interface EndedPlan {
  readonly planSha256: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How far the events of the plan queue were looked at. */
export interface PlanEventsPlace {
  /** Of the events; only who made it can read it. */
  readonly place: string;
  /** Everything that was told before has been seen; milliseconds since 1970, by the clock of Redis. */
  readonly at: number;
}

/**
 * Says which plans have ended, whoever pushed them. Where to look, and no more: only a signed end is one. Every call rejects with WritError
 * REDIS_UNAVAILABLE, `since` also with STORAGE_UNAVAILABLE.
 */
export interface PlanEnds {
  /** The place after the newest event. */
  here(): Promise<PlanEventsPlace>;
  /** What came after a place, the newest of each plan; waits about a second for the first. `lost`: events may be missing in between. */
  after(place: string, signal: AbortSignal): Promise<(PlanEventsPlace & { readonly ended: readonly EndedPlan[] }) | 'lost'>;
  /** Every plan that has ended since, as Redis and the plan journal of this host remember it, in portions; some come twice. */
  since(at: number): AsyncIterable<readonly EndedPlan[]>;
}
