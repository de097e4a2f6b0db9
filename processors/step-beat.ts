import type { LockTimes } from '../queues/catalog.ts';
import type { Clock } from '../src/core/clock.ts';
import type { Presence } from '../src/core/ports/index.ts';
import { FRESH_PART } from './lock-watch.ts';

/** The heartbeat of a local step whose plan is parked: to it what its lock is to a job. Nothing of it rejects. */
export interface StepBeat {
  /** Resolves when the first beat was heard, or has failed. */
  start(): Promise<void>;
  /** Whether the last beat that was heard is recent enough to start an effect. Once it had stopped for a lock's life it never is again. */
  isFresh(): boolean;
  stop(): void;
}

/** @param name of the step's job */
export function createStepBeat(
  name: string,
  clock: Pick<Clock, 'monotonic'>,
  { presence, times }: { readonly presence: Presence; readonly times: Pick<LockTimes, 'lockMs' | 'renewMs'> },
): StepBeat {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let heardAt: number | undefined;
  let hasLapsed = false;
  const beat = async (): Promise<void> => {
    const sentAt = clock.monotonic();
    try {
      await presence.beat(name, times.lockMs);
      // The one before had ended when this one was heard: the step may be another's.
      hasLapsed ||= heardAt !== undefined && clock.monotonic() - heardAt > times.lockMs;
      heardAt = sentAt;
    } catch {
      // One that is not heard makes the step stop before its next effect.
    }
  };
  return {
    async start() {
      if (hasEnded) return;
      timer = setInterval(() => void beat(), times.renewMs);
      await beat();
      // It may have ended meanwhile.
      if (hasEnded) await presence.gone(name).catch(() => undefined);
    },
    isFresh: () => !hasLapsed && heardAt !== undefined && clock.monotonic() - heardAt <= FRESH_PART * times.lockMs,
    stop() {
      hasEnded = true;
      if (timer === undefined) return;
      clearInterval(timer);
      void presence.gone(name).catch(() => undefined);
    },
  };
}
