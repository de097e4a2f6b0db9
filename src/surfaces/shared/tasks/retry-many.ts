import type { BulkRetryLine, TaskFilter } from '../../../contracts/index.ts';
import { ERRORS, isWritError, WritError } from '../../../core/errors.ts';
import type { TaskIndex } from '../../../core/ports/index.ts';
import type { OperatorServices } from './operator.ts';
import { type RetryEnd, retryTasks } from './retry.ts';

export interface BulkRetry {
  /** `state` may only be `failure`. */
  readonly filter: TaskFilter;
  readonly regrant?: boolean | undefined;
  /** At most so many tasks. */
  readonly limit?: number | undefined;
}

/** Tasks that are looked up, get new leases, run again and are told of together. */
const PAGE = 200;

/**
 * Retries every failed task that the filter finds, page by page. The run looks at what had failed when it began: a task
 * that fails again meanwhile is not retried twice. One page is in memory.
 *
 * @returns the lines of one page after the other; the next page is begun when it is asked for
 * @throws WritError INVALID_ARGUMENT for a filter on another state; errors of Redis, kernel and index end the run
 */
export async function* retryMany(
  { filter, regrant, limit = Number.POSITIVE_INFINITY }: BulkRetry,
  index: Pick<TaskIndex, 'list'>,
  services: OperatorServices,
  signal: AbortSignal,
): AsyncGenerator<readonly BulkRetryLine[]> {
  const bounded: TaskFilter = { ...filter, state: 'failure', until: earlier(filter.until, services.clock.now()) };
  const wish = regrant === undefined ? {} : { regrant };
  let cursor: string | undefined;
  let left = limit;
  do {
    const page = await index.list(bounded, { limit: Math.min(PAGE, left), ...(cursor === undefined ? {} : { cursor }) });
    const ids = page.tasks.map(({ task_id }) => task_id);
    const ends = signal.aborted ? [] : await retryTasks(ids, wish, services);
    const broken = ends.find((end) => end.kind === 'refused' && wouldMeetAll(end.error));
    const lines = ends.flatMap((end, at) => lineOf(ids[at] ?? '', end));
    if (lines.length > 0) yield lines;
    if (broken?.kind === 'refused') throw broken.error;
    left -= page.tasks.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0 && !signal.aborted);
}

/** @throws WritError INVALID_ARGUMENT */
export function assertRetryable({ state }: TaskFilter): void {
  if (state !== undefined && state !== 'failure') {
    throw new WritError('INVALID_ARGUMENT', 'only failed tasks are retried: leave the state out, or say failure', { field: 'filter.state' });
  }
}

/** Exit code 3: something is not available, and the next task would fare no better. */
function wouldMeetAll(error: unknown): boolean {
  return !isWritError(error) || ERRORS[error.code].exit === 3;
}

/** None for a task that met what would meet all: it is told once, as the end. */
function lineOf(taskId: string, end: RetryEnd): readonly BulkRetryLine[] {
  if (end.kind === 'retried') return [{ task_id: taskId, outcome: 'retried' }];
  if (!isWritError(end.error) || wouldMeetAll(end.error)) return [];
  return [{ task_id: taskId, outcome: 'refused', code: end.error.code, message: end.error.message }];
}

function earlier(until: string | undefined, now: number): string {
  const asked = until === undefined ? now : Date.parse(until);
  return new Date(Math.min(asked, now)).toISOString();
}
