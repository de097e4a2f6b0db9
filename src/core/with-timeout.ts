import { setTimeout as pause } from 'node:timers/promises';

/**
 * What the work ends with, if it ends within the time. The work goes on when it does not.
 *
 * @param ms milliseconds
 * @returns `undefined` when it takes longer
 * @throws what the work throws within the time
 */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([work, pause(ms, undefined, { signal: patience.signal })]);
  } finally {
    patience.abort();
  }
}
