import { WritApiError, WritConnectionError } from './errors.ts';
import { streamed } from './exchange.ts';
import { ndjsonOf } from './ndjson.ts';
import type { Settings } from './options.ts';
import type { BulkRetryLine, BulkRetrySummary, TaskFilter } from './types.ts';

export interface RetryManyOptions {
  /** The `regrant` of `retry`. */
  readonly regrant?: boolean;
  /** At most so many tasks. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs the failed tasks that a filter finds again: yields a line per task, and returns the counts. Leaving the loop ends the
 * run. The request is never repeated.
 *
 * @throws WritApiError, WritConnectionError; lines that were yielded stay valid
 */
export async function* retryMany(
  filter: TaskFilter,
  { regrant, limit, signal }: RetryManyOptions,
  settings: Settings,
): AsyncGenerator<BulkRetryLine, BulkRetrySummary['summary']> {
  const json = { filter, ...(regrant === undefined ? {} : { regrant }), ...(limit === undefined ? {} : { limit }) };
  const headers = { accept: 'application/x-ndjson' };
  const chunks = streamed({ method: 'POST', path: '/v1/tasks/retry', json, headers, signal, repeatable: false }, settings, settings.timeoutMs);
  for await (const line of ndjsonOf<BulkRetryLine | BulkRetrySummary>(chunks)) {
    if (!('summary' in line)) {
      yield line;
      continue;
    }
    if (line.problem) throw new WritApiError(line.problem);
    return line.summary;
  }
  throw new WritConnectionError('the answer ended without its summary');
}
