import { setTimeout as delay } from 'node:timers/promises';

/** Waits so many milliseconds, or until the signal fires. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
