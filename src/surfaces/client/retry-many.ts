import { WritApiError, WritConnectionError } from './errors.ts';
import { streamed } from './exchange.ts';
import { ndjsonOf } from './ndjson.ts';
import type { Settings } from './options.ts';
import type { BulkPlanRetryLine, BulkPlanRetrySummary, BulkRetryLine, BulkRetrySummary, PlanFilter, TaskFilter } from './types.ts';

export interface RetryPlansOptions {
  /** At most so many. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface RetryManyOptions extends RetryPlansOptions {
  /** The `regrant` of `retry`. */
  readonly regrant?: boolean;
}

/** How many a retry would be about, and the filter that finds exactly these: a run with it may be repeated until nothing is left. */
export interface Retryable<Filter> {
  readonly found: number;
  readonly rest: Filter;
}

/** Counts of a run; `rest`: the filter that goes on with what is left, unless nothing is. */
export type RetriedTasks = BulkRetrySummary['summary'] & { readonly rest?: TaskFilter };
export type RetriedPlans = BulkPlanRetrySummary['summary'] & { readonly rest?: PlanFilter };

/** What the two kinds of bulk retry have on the wire. */
interface Kinds {
  '/v1/tasks/retry': { filter: TaskFilter; line: BulkRetryLine; last: BulkRetrySummary };
  '/v1/plans/retry': { filter: PlanFilter; line: BulkPlanRetryLine; last: BulkPlanRetrySummary };
}
type Path = keyof Kinds;

/**
 * Runs what has failed and a filter finds again: yields a line for each, and returns the counts. Leaving the loop ends the
 * run. The request is never repeated.
 *
 * @throws WritApiError, WritConnectionError; lines that were yielded stay valid
 */
export async function* retryMany<P extends Path>(
  path: P,
  filter: Kinds[P]['filter'],
  { signal, ...terms }: RetryManyOptions,
  settings: Settings,
): AsyncGenerator<Kinds[P]['line'], Kinds[P]['last']['summary'] & { readonly rest?: Kinds[P]['filter'] }> {
  for await (const line of asked(path, { filter, ...terms }, settings, signal)) {
    if (!('summary' in line)) yield line;
    else if (line.problem) throw new WritApiError(line.problem);
    else return { ...line.summary, ...(line.rest === undefined ? {} : { rest: line.rest }) };
  }
  throw cutOff();
}

/**
 * Counts what `retryMany` would be about; nothing runs again.
 *
 * @throws WritApiError, WritConnectionError
 */
export async function retryable<P extends Path>(
  path: P,
  filter: Kinds[P]['filter'],
  { limit, signal }: RetryPlansOptions,
  settings: Settings,
): Promise<Retryable<Kinds[P]['filter']>> {
  const json = { filter, ...(limit === undefined ? {} : { limit }) };
  for await (const line of asked(path, json, settings, signal, { dry_run: 'true' })) {
    if ('summary' in line) return { found: 'plans' in line.summary ? line.summary.plans : line.summary.tasks, rest: line.rest ?? filter };
  }
  throw cutOff();
}

function asked<P extends Path>(
  path: P,
  json: object,
  settings: Settings,
  signal: AbortSignal | undefined,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<Kinds[P]['line'] | Kinds[P]['last']> {
  const headers = { accept: 'application/x-ndjson' };
  return ndjsonOf(streamed({ method: 'POST', path, query, json, headers, signal, repeatable: false }, settings, settings.timeoutMs));
}

function cutOff(): WritConnectionError {
  return new WritConnectionError('the answer ended without its summary');
}
