import type { Clock } from '../src/core/clock.ts';

/** A worker starts no effect when its last renewal is older than this part of the lock (design 4). */
export const FRESH_PART = 0.6;

/** The lock of one delivery. One that was lost is never its own again, whoever fetches the job after it. */
export interface HeldLock {
  isFresh(): boolean;
  end(): void;
}

/** Remembers since when the lock of each running job is known to be ours: since it was asked for, not since the answer was read. */
export interface LockWatch {
  /** `fetchedAt`: wall clock of the fetch, milliseconds, as BullMQ stamps it. */
  begin(jobId: string, fetchedAt: number | undefined): HeldLock;
  /** Redis is about to be asked to renew these. */
  renewing(jobIds: readonly string[]): void;
  /** It has renewed these of them. */
  renewed(jobIds: readonly string[]): void;
}

interface Known {
  at: number;
  askedAt: number | undefined;
}

export function createLockWatch(lockMs: number, clock: Clock): LockWatch {
  const locks = new Map<string, Known>();
  const each = (jobIds: readonly string[]): readonly Known[] => jobIds.flatMap((jobId) => locks.get(jobId) ?? []);
  return {
    begin(jobId, fetchedAt) {
      // A job may have waited in a busy event loop between its fetch and this call.
      const age = fetchedAt === undefined ? 0 : Math.max(0, clock.now() - fetchedAt);
      const known: Known = { at: clock.monotonic() - age, askedAt: undefined };
      locks.set(jobId, known);
      return {
        isFresh: () => clock.monotonic() - known.at <= FRESH_PART * lockMs,
        end() {
          known.at = Number.NEGATIVE_INFINITY;
          if (locks.get(jobId) === known) locks.delete(jobId);
        },
      };
    },
    renewing(jobIds) {
      for (const known of each(jobIds)) known.askedAt = clock.monotonic();
    },
    renewed(jobIds) {
      for (const known of each(jobIds)) known.at = known.askedAt ?? known.at;
    },
  };
}
