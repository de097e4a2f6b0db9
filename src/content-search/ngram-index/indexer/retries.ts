/** What is tried again after a pause that grows with each failure; each thing once at a time. */
export interface Retries {
  later(what: string, work: () => void): void;
  /** The next failure of it is the first one again. */
  worked(what: string): void;
  /** Does something at a time, milliseconds since 1970; a later call takes its place. */
  at(what: string, timeMs: number, work: () => void): void;
  stop(): void;
}

export interface RetryPauses {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** setTimeout takes no more: 2^31 - 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createRetries(now: () => number, { firstMs, mostMs }: RetryPauses): Retries {
  const failures = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();

  function wait(what: string, ms: number, work: () => void): void {
    clearTimeout(timers.get(what));
    const timer = setTimeout(
      () => {
        timers.delete(what);
        work();
      },
      Math.max(0, Math.min(ms, MAX_TIMER_MS)),
    );
    timers.set(what, timer.unref());
  }

  return {
    later(what, work) {
      if (timers.has(what)) return;
      const failed = failures.get(what) ?? 0;
      failures.set(what, failed + 1);
      wait(what, Math.min(mostMs, firstMs * 2 ** failed), work);
    },
    worked: (what) => void failures.delete(what),
    at: (what, timeMs, work) => wait(what, timeMs - now(), work),
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      failures.clear();
    },
  };
}
