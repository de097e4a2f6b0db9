import { setTimeout as delay } from 'node:timers/promises';
import { WritApiError, WritConnectionError, WritTimeoutError } from '../../../src/surfaces/client/index.ts';

const AGAIN_MS = 150;

/** What a producer does about an answer that says nothing about its task: a role is away, starts, or is stopped. */
export function isPassing(error: unknown): boolean {
  if (error instanceof WritConnectionError || error instanceof WritTimeoutError) return true;
  return error instanceof WritApiError && (error.status === 429 || error.status >= 500);
}

/** Calls until an answer comes that is about what was asked, or the run gives up. */
export async function insist<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** The code of a refusal; undefined for every other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof WritApiError ? error.code : undefined;
}
