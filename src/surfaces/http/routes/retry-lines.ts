import type { Problem } from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import type { AuditLog } from '../../../core/ports/index.ts';
import { type BulkRetryEnd, bulkRetry, countFailed, type FailedFilter, type Retryable } from '../../shared/bulk-retry.ts';
import { problemOf } from '../problem.ts';
import { linesOf } from './ndjson-answer.ts';

/** A bulk retry as it was asked for. */
export interface RetryRun<F extends FailedFilter> {
  readonly who: string;
  readonly audit: AuditLog;
  /** As it came, for the audit log. */
  readonly asked: object;
  /** What it is about (`failedBefore`). */
  readonly filter: F;
  readonly limit: number | undefined;
  readonly of: Retryable<F>;
  readonly signal: AbortSignal;
}

/** Why a run ended, as the audit log says it. `limit`: as many as were asked for. */
type End = 'complete' | 'limit' | 'client gone' | string;

/** Retries page by page, a line for each and a summary at the end. The audit log has the filter, every page with its counts, and the end. */
export async function* retryLines<F extends FailedFilter>({ who, audit, asked, filter, limit, of, signal }: RetryRun<F>): AsyncGenerator<string> {
  const entry = { surface: 'http', who, action: `${of.noun}.retry_all`, subject: JSON.stringify(asked) } as const;
  await audit.append({ ...entry, outcome: 'asked' });
  const counts = { retried: 0, refused: 0 };
  const summed = () => ({ [`${of.noun}s`]: counts.retried + counts.refused, ...counts });
  let page = 0;
  let end: End = 'client gone';
  const summary = (problem?: Problem): string =>
    linesOf([{ summary: summed(), ...(end === 'complete' ? {} : { rest: filter }), ...(problem === undefined ? {} : { problem }) }]);
  try {
    let more = true;
    for await (const found of bulkRetry(filter, of, signal, limit)) {
      ({ more } = found);
      if (found.ends.length === 0) continue;
      page += 1;
      const refused = found.ends.filter((one) => one.refused !== undefined).length;
      const here = { [`${of.noun}s`]: found.ends.length, retried: found.ends.length - refused, refused };
      counts.retried += here.retried;
      counts.refused += refused;
      await audit.append({ ...entry, outcome: 'done', detail: { page, ...here } });
      yield linesOf(found.ends.map((one) => lineOf(one, of.noun)));
    }
    if (!signal.aborted) end = more ? 'limit' : 'complete';
    yield summary();
  } catch (error) {
    end = isWritError(error) ? error.code : 'INTERNAL';
    if (page === 0) throw error;
    yield summary(problemOf(error));
  } finally {
    const isDone = end === 'complete' || end === 'limit';
    await audit.append({ ...entry, outcome: isDone ? 'done' : 'refused', detail: { end, ...summed() } });
  }
}

/** What a run would be about: the summary alone, with the filter that finds exactly these. Nothing is done, and nothing audited. */
export async function countLine<F extends FailedFilter>({
  filter,
  limit,
  of,
  signal,
}: Pick<RetryRun<F>, 'filter' | 'limit' | 'of' | 'signal'>): Promise<string> {
  const found = await countFailed(filter, of, signal, limit);
  return linesOf([{ summary: { [`${of.noun}s`]: found, retried: 0, refused: 0 }, rest: filter }]);
}

function lineOf({ id, refused }: BulkRetryEnd, noun: 'task' | 'plan'): object {
  const named = { [`${noun}_id`]: id };
  return refused === undefined ? { ...named, outcome: 'retried' } : { ...named, outcome: 'refused', code: refused.code, message: refused.message };
}
