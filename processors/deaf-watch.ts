import type { Clock } from '../src/core/clock.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { InFlight } from './in-flight.ts';

/** Looks for each time that deafness takes to show. */
const LOOKS = 6;

export interface DeafWatchOptions {
  readonly queue: string;
  readonly concurrency: number;
  /** `worker.deaf_ms`. */
  readonly deafMs: number;
  readonly inFlight: Pick<InFlight, 'size' | 'progressCount'>;
  /** Asks Redis, on a connection that the worker's own trouble does not reach. */
  readonly look: () => Promise<{ readonly waiting: number; readonly paused: boolean }>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Told once each time that the worker goes deaf; `ms`: for how long it has been. */
  readonly onDeaf: (found: { readonly queue: string; readonly waiting: number; readonly ms: number }) => void;
}

/** Watches one queue of this worker. */
export interface DeafWatch extends Lifecycle {
  readonly queue: string;
  readonly deaf: boolean;
  /** One look; the timer does it, tests do. Never rejects. */
  check(): Promise<void>;
}

/**
 * Whether a worker still hears its queue. It is deaf when at every look for `deafMs` jobs waited, the queue was not paused,
 * a slot was free, and nothing had begun or ended in between. One look that finds it otherwise ends the suspicion; a look
 * that Redis does not answer says nothing about the worker, and ends it too (that is a matter of readiness).
 */
export function createDeafWatch({ queue, concurrency, deafMs, inFlight, look, clock, onDeaf }: DeafWatchOptions): DeafWatch {
  let suspectedAt: number | undefined;
  let progressCount = inFlight.progressCount;
  let deaf = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function once(): Promise<void> {
    const found = await look().catch(() => undefined);
    const moved = inFlight.progressCount !== progressCount;
    progressCount = inFlight.progressCount;
    if (found === undefined || found.waiting === 0 || found.paused || moved || inFlight.size >= concurrency) {
      suspectedAt = undefined;
      deaf = false;
      return;
    }
    suspectedAt ??= clock.monotonic();
    const ms = clock.monotonic() - suspectedAt;
    if (deaf || ms < deafMs) return;
    deaf = true;
    onDeaf({ queue, waiting: found.waiting, ms: Math.round(ms) });
  }

  const check = (): Promise<void> => {
    // A look that Redis keeps waiting is not asked twice.
    looking ??= once().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    queue,
    get deaf() {
      return deaf;
    },
    check,
    ...lifecycle(
      () => {
        timer = setInterval(() => void check(), deafMs / LOOKS);
        timer.unref();
      },
      () => {
        clearInterval(timer);
        suspectedAt = undefined;
        deaf = false;
      },
    ),
  };
}
