/** Reasons why a job ends early: it was asked to, its time is over, or there is no room. */
export type HaltReason = 'STOPPED' | 'TIME' | 'DISK' | 'FILES' | 'BYTES';

/**
 * Ends a job from wherever it is. An exception and not a value, because a segment pulls its postings through generators that
 * have no other way to end early; `run-job.ts` catches it and nobody else.
 */
export class Halted extends Error {
  override readonly name = 'Halted';
  readonly reason: HaltReason;
  constructor(reason: HaltReason) {
    super(`the job was halted: ${reason}`);
    this.reason = reason;
  }
}

/** The speed of a job. Synchronous: a build has its own thread, so a sleep there blocks nobody else. */
export interface Pace {
  /** Sleeps as the limits want; called between two files, and now and then in long steps. @throws Halted */
  step(): void;
  /** Checks whether the job may go on, and never sleeps. @throws Halted */
  check(): void;
  /** Whether nothing holds the job back, so that it may use a second processor. */
  readonly isFree: boolean;
}

export interface PaceSettings {
  /** `index_build_timeout_ms`: the longest time of a job. */
  readonly timeoutMs: number;
  /** `index_build_max_cpu_percent`, 1 to 100. */
  readonly maxCpuPercent: number;
  /** `index_build_throttle_ms`: sleep between two batches of files. */
  readonly throttleMs: number;
}

export interface PaceParts {
  /** Milliseconds that only grow. */
  readonly monotonicMs: () => number;
  /** Sleeps; may come back early when the job is to stop. */
  readonly sleep: (ms: number) => void;
  readonly isStopped: () => boolean;
  /** Whether nobody searches: then the throttle is off (FR-LSI-BG-32), and the time limits still hold. */
  readonly isBoosted: () => boolean;
}

/** Files of a batch. */
const BATCH = 64;
/** Milliseconds of work between two checks of the share of the processor: shorter sleeps would be inexact. */
const SLICE_MS = 20;

/** The pace of one job, from now on (FR-LSI-BG-30 to 32, FR-LSI-BUD-05). */
export function createPace(settings: PaceSettings, { monotonicMs, sleep, isStopped, isBoosted }: PaceParts): Pace {
  const startedAt = monotonicMs();
  const idleShare = (100 - settings.maxCpuPercent) / settings.maxCpuPercent;
  let steps = 0;
  let awakeSince = startedAt;

  function rest(ms: number): void {
    if (ms > 0) sleep(ms);
    awakeSince = monotonicMs();
  }

  function check(now: number): void {
    if (isStopped()) throw new Halted('STOPPED');
    if (now - startedAt > settings.timeoutMs) throw new Halted('TIME');
  }

  return {
    check: () => check(monotonicMs()),
    get isFree() {
      return isBoosted() || (idleShare === 0 && settings.throttleMs === 0);
    },
    step() {
      const now = monotonicMs();
      check(now);
      steps += 1;
      if (isBoosted()) {
        awakeSince = now;
        return;
      }
      const busy = now - awakeSince;
      const isBatchEnd = steps % BATCH === 0;
      if (busy >= SLICE_MS || isBatchEnd) rest(Math.max(busy * idleShare, isBatchEnd ? settings.throttleMs : 0));
    },
  };
}
