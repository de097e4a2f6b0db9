import type { BulkRetryLine, TaskFilter } from '../../../contracts/index.ts';
import { ERRORS, isWritError, WritError } from '../../../core/errors.ts';
import type { TaskIndex } from '../../../core/ports/index.ts';
import type { OperatorServices } from './operator.ts';
import { type RetryTerms, retryTask } from './retry.ts';

export interface BulkRetry {
  /** `state` may only be `failure`. */
  readonly filter: TaskFilter;
  readonly regrant?: boolean | undefined;
  /** At most so many tasks. */
  readonly limit?: number | undefined;
}

/** Tasks that are looked up, retried and told of together. */
const PAGE = 200;
/** Retries on their way at the same time. */
const TOGETHER = 64;

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
    const { lines, broken } = await retryPage(
      page.tasks.map(({ task_id }) => task_id),
      wish,
      services,
      signal,
    );
    if (lines.length > 0) yield lines;
    if (broken) throw broken.error;
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

interface Broken {
  readonly error: unknown;
}

/** Stops before the rest of the page when the client has gone, or when an error would meet the rest as well. */
async function retryPage(
  ids: readonly string[],
  wish: RetryTerms,
  services: OperatorServices,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly BulkRetryLine[]; readonly broken?: Broken }> {
  const lines: BulkRetryLine[] = [];
  for (let at = 0; at < ids.length && !signal.aborted; at += TOGETHER) {
    const answers = await Promise.all(ids.slice(at, at + TOGETHER).map((taskId) => retryOne(taskId, wish, services)));
    lines.push(...answers.flatMap((answer) => ('outcome' in answer ? [answer] : [])));
    const broken = answers.find((answer) => 'error' in answer);
    if (broken) return { lines, broken };
  }
  return { lines };
}

async function retryOne(taskId: string, wish: RetryTerms, services: OperatorServices): Promise<BulkRetryLine | Broken> {
  try {
    await retryTask(taskId, wish, services);
    return { task_id: taskId, outcome: 'retried' };
  } catch (error) {
    // Exit code 3: something is not available, and the next task would fare no better.
    if (!isWritError(error) || ERRORS[error.code].exit === 3) return { error };
    return { task_id: taskId, outcome: 'refused', code: error.code, message: error.message };
  }
}

function earlier(until: string | undefined, now: number): string {
  const asked = until === undefined ? now : Date.parse(until);
  return new Date(Math.min(asked, now)).toISOString();
}
