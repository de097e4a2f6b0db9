/** Refuses new work when Redis has no room for it and for the ends of what waits. */
export interface MemoryGuard {
  /** Throws WritError REDIS_FULL, REDIS_UNAVAILABLE. Cheap: looks of a moment ago are believed. */
  check(): Promise<void>;
  /** What was added after a check counts until the next look. */
  added(jobs: number, bytes: number): void;
}
