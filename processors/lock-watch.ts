import type { Clock } from '../src/core/clock.ts';

/** A worker starts no effect when its last renewal is older than this part of the lock (design 4). */
export const FRESH_PART = 0.6;

/** Remembers when the lock of each running job was last known to be ours. */
export interface LockWatch {
  /** `fetchedAt`: wall clock of the fetch, milliseconds, as BullMQ stamps it. */
  begin(jobId: string, fetchedAt: number | undefined): void;
  renewed(jobIds: readonly string[]): void;
  isFresh(jobId: string): boolean;
  end(jobId: string): void;
}

export function createLockWatch(lockMs: number, clock: Clock): LockWatch {
  const renewals = new Map<string, number>();
  return {
    begin(jobId, fetchedAt) {
      // A job may have waited in a busy event loop between its fetch and this call.
      const age = fetchedAt === undefined ? 0 : Math.max(0, clock.now() - fetchedAt);
      renewals.set(jobId, clock.monotonic() - age);
    },
    renewed(jobIds) {
      const now = clock.monotonic();
      for (const jobId of jobIds) if (renewals.has(jobId)) renewals.set(jobId, now);
    },
    isFresh(jobId) {
      const last = renewals.get(jobId);
      return last !== undefined && clock.monotonic() - last <= FRESH_PART * lockMs;
    },
    end(jobId) {
      renewals.delete(jobId);
    },
  };
}
