import type { Clock } from '../../core/clock.ts';
import type { Presence } from '../../core/ports/index.ts';

/** The twin of the heartbeats. */
export function createMemoryPresence(clock: Clock): Presence {
  const until = new Map<string, number>();
  return {
    async beat(instance, ttlMs) {
      until.set(instance, clock.now() + ttlMs);
    },
    async gone(instance) {
      until.delete(instance);
    },
    isAlive: async (instance) => (until.get(instance) ?? 0) > clock.now(),
  };
}
