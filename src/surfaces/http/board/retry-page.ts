import { type ErrorCode, isWritError } from '../../../core/errors.ts';
import { type BoardServices, retryJob } from './retry-job.ts';
import type { BoardSource } from './source.ts';

export interface Tally {
  retried: number;
  /** How many were refused, by code. */
  readonly refused: Map<string, number>;
}

/** Retries that are under way together; each is a handful of round trips. */
const TOGETHER = 16;

/** Codes that speak of the installation, not of one task. */
const STOPPERS: ReadonlySet<ErrorCode> = new Set(['KERNEL_UNAVAILABLE', 'REDIS_UNAVAILABLE', 'REDIS_FULL', 'STORAGE_UNAVAILABLE']);

/** Retries the tasks and plans of these jobs and counts them. @returns the code that speaks against going on */
export async function retryPage(jobIds: readonly string[], source: BoardSource, tally: Tally, services: BoardServices): Promise<ErrorCode | undefined> {
  const left = jobIds.values();
  let stopper: ErrorCode | undefined;
  const lane = async (): Promise<void> => {
    for (const id of left) {
      if (stopper !== undefined) return;
      const code = await tryRetry(id, source, services);
      if (code === undefined) tally.retried += 1;
      else tally.refused.set(code, (tally.refused.get(code) ?? 0) + 1);
      if (code !== undefined && STOPPERS.has(code)) stopper = code;
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, lane));
  return stopper;
}

async function tryRetry(jobId: string, source: BoardSource, services: BoardServices): Promise<ErrorCode | undefined> {
  try {
    await retryJob(jobId, source, services);
    return undefined;
  } catch (error) {
    if (isWritError(error)) return error.code;
    throw error;
  }
}

/** All that were refused. */
export function total({ refused }: Tally): number {
  return [...refused.values()].reduce((sum, count) => sum + count, 0);
}
