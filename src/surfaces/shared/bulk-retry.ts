import { ERRORS, isWritError, WritError } from '../../core/errors.ts';

/** The part of a filter that a bulk retry looks at itself. */
export interface FailedFilter {
  readonly state?: string | undefined;
  /** Last change before. */
  readonly until?: string | undefined;
}

/** What is retried by a filter: how it is found, and how some of it are run again together. */
export interface Retryable<F extends FailedFilter> {
  readonly noun: 'task' | 'plan';
  list(filter: F, page: { readonly cursor?: string; readonly limit: number }): Promise<{ readonly ids: readonly string[]; readonly next?: string | undefined }>;
  /** An end for each, in order: `undefined` for one that runs again, else why not. Never rejects. */
  retry(ids: readonly string[]): Promise<readonly (Error | undefined)[]>;
}

/** What became of one. */
export interface BulkRetryEnd {
  readonly id: string;
  /** Why it does not run again. */
  readonly refused?: WritError;
}

export interface BulkRetryPage {
  readonly ends: readonly BulkRetryEnd[];
  /** The filter may find more than what was looked at. */
  readonly more: boolean;
}

/** What is looked up, gets new leases, runs again and is told of together. */
const PAGE = 200;
/** Found together where nothing is done to it. */
const COUNTED = 500;

/** @throws WritError INVALID_ARGUMENT for a filter on another state */
export function assertFailed({ state }: FailedFilter, noun: 'task' | 'plan'): void {
  if (state !== undefined && state !== 'failure') {
    throw new WritError('INVALID_ARGUMENT', `only failed ${noun}s are retried: leave the state out, or say failure`, { field: 'filter.state' });
  }
}

/**
 * What a run that begins now is about: what has failed by now. What fails again meanwhile changes later, so that the same
 * filter goes on with what a run has left, and nothing is retried twice.
 *
 * @throws WritError INVALID_ARGUMENT for a filter on another state
 */
export function failedBefore<F extends FailedFilter>(
  filter: F,
  now: number,
  noun: Retryable<F>['noun'],
): F & { readonly state: 'failure'; readonly until: string } {
  assertFailed(filter, noun);
  const asked = filter.until === undefined ? now : Date.parse(filter.until);
  return { ...filter, state: 'failure', until: new Date(Math.min(asked, now)).toISOString() };
}

/** How many the filter finds, at most `limit`; nothing is done to them. */
export async function countFailed<F extends FailedFilter>(
  filter: F,
  { list }: Pick<Retryable<F>, 'list'>,
  signal: AbortSignal,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  let found = 0;
  let cursor: string | undefined;
  do {
    const page = await list(filter, { limit: Math.min(COUNTED, limit - found), ...(cursor === undefined ? {} : { cursor }) });
    found += page.ids.length;
    cursor = page.next;
  } while (cursor !== undefined && found < limit && !signal.aborted);
  return found;
}

/**
 * Retries everything that the filter finds, page by page. One page is in memory; the next one is begun when it is asked for.
 *
 * @param filter from `failedBefore`
 * @throws what would meet all that is left as well (Redis, kernel, index), behind the page that met it
 */
export async function* bulkRetry<F extends FailedFilter>(
  filter: F,
  { list, retry }: Retryable<F>,
  signal: AbortSignal,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<BulkRetryPage> {
  let cursor: string | undefined;
  let left = limit;
  do {
    const page = await list(filter, { limit: Math.min(PAGE, left), ...(cursor === undefined ? {} : { cursor }) });
    if (signal.aborted) return;
    const errors = await retry(page.ids);
    const broken = errors.find((error) => error !== undefined && wouldMeetAll(error));
    cursor = page.next;
    left -= page.ids.length;
    yield { ends: errors.flatMap((error, at) => endOf(page.ids[at] ?? '', error)), more: cursor !== undefined || broken !== undefined };
    if (broken !== undefined) throw broken;
  } while (cursor !== undefined && left > 0 && !signal.aborted);
}

/** Exit code 3: something is not available, and the next one would fare no better. */
function wouldMeetAll(error: Error): boolean {
  return !isWritError(error) || ERRORS[error.code].exit === 3;
}

/** None for one that met what would meet all: that is told once, as the end. */
function endOf(id: string, error: Error | undefined): readonly BulkRetryEnd[] {
  if (error === undefined) return [{ id }];
  return isWritError(error) && !wouldMeetAll(error) ? [{ id, refused: error }] : [];
}

/** What was thrown, as an end. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
