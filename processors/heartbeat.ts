import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { Presence } from '../src/core/ports/index.ts';

/** A worker counts as alive for this many lock durations after its last beat. */
const LIFE_IN_LOCKS = 3;

export interface HeartbeatOptions {
  readonly presence: Presence;
  readonly instance: () => string;
  readonly intervalMs: number;
  readonly lockMs: number;
  readonly onError: (error: unknown) => void;
}

/** Says regularly that this worker process lives, until stopped. A beat that fails is told and tried again. */
export function createHeartbeat({ presence, instance, intervalMs, lockMs, onError }: HeartbeatOptions): Lifecycle {
  let timer: NodeJS.Timeout | undefined;
  const beat = (): Promise<void> => presence.beat(instance(), LIFE_IN_LOCKS * lockMs);
  return lifecycle(
    async () => {
      await beat();
      timer = setInterval(() => void beat().catch(onError), intervalMs);
    },
    async () => {
      clearInterval(timer);
      await presence.gone(instance()).catch(onError);
    },
  );
}
