import { WritApiError, WritConnectionError } from './errors.ts';

const FIRST_MS = 200;
const MAX_MS = 10_000;
/** The longest Retry-After that is waited for; with a longer one the error goes to the caller. */
const MAX_RETRY_AFTER_MS = 60_000;
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 503]);

/** Exponential backoff with full jitter over its upper half, milliseconds. @param random 0 ≤ x < 1 */
export function backoffMs(failures: number, random: () => number): number {
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return Math.round(whole / 2 + (whole / 2) * random());
}

/**
 * Milliseconds before the next try; `undefined` when another try would not help.
 *
 * @param failures how many tries have failed before this one
 */
export function pauseAfter(error: unknown, failures: number, random: () => number): number | undefined {
  const backoff = backoffMs(failures, random);
  if (error instanceof WritConnectionError) return backoff;
  if (!(error instanceof WritApiError) || !TRY_AGAIN.has(error.status)) return undefined;
  const wished = error.retryAfterMs ?? 0;
  return wished > MAX_RETRY_AFTER_MS ? undefined : Math.max(wished, backoff);
}

/** Waits. Throws the signal's reason when it is aborted before or meanwhile. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
