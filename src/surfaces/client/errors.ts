import type { Problem, ResultErrorCode } from './types.ts';

/** The server refused. `code` is one of docs/generated/errors.md; `HTTP_<status>` when the answer was no problem document (a proxy). */
export class WritApiError extends Error {
  override readonly name = 'WritApiError';
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  /** Dotted path of the field at fault. */
  readonly field: string | undefined;
  /** The problem document (RFC 9457). */
  readonly problem: Problem;
  /** Milliseconds from the answer until the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, retryAfterMs?: number) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.field = problem.field;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No whole answer came: no connection, a broken one, nothing in time, or an answer that is not Writ's. The request may have been carried out. */
export class WritConnectionError extends Error {
  override readonly name = 'WritConnectionError';
}

/** `tasks.result`, `plans.wait` or a search reached its `timeoutMs`. The task or plan goes on. */
export class WritTimeoutError extends Error {
  override readonly name = 'WritTimeoutError';
  /** Id of the task, or of the plan. */
  readonly taskId: string;
  /** It, or the step of a plan, waits in this queue, which is paused: nothing comes until somebody resumes it. */
  readonly pausedQueue: string | undefined;

  constructor(taskId: string, timeoutMs: number, pausedQueue?: string) {
    super(`${taskId} has not ended within ${timeoutMs} ms${pausedQueue === undefined ? '' : `: the queue ${pausedQueue} is paused`}`);
    this.taskId = taskId;
    this.pausedQueue = pausedQueue;
  }
}

/** A task ended with FAILURE. `code` is one of its executor's; `undefined` when it was no task at all. */
export class WritTaskError extends Error {
  override readonly name = 'WritTaskError';
  readonly taskId: string;
  readonly code: ResultErrorCode | undefined;

  constructor(taskId: string, code: ResultErrorCode | undefined, message: string) {
    super(code === undefined ? message : `${code}: ${message}`);
    this.taskId = taskId;
    this.code = code;
  }
}

/** The error of a response whose status is no success. */
export async function apiErrorOf(response: Response): Promise<WritApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter * 1000 : undefined;
  return new WritApiError(problemIn(await response.text(), response.status), retryAfterMs);
}

function problemIn(text: string, status: number): Problem {
  try {
    const document = JSON.parse(text) as Partial<Problem> | null;
    if (typeof document?.code === 'string' && typeof document.detail === 'string') {
      return {
        ...document,
        type: document.type ?? 'about:blank',
        title: document.title ?? document.code,
        code: document.code,
        detail: document.detail,
        status,
      };
    }
  } catch {
    // A body that is no problem document comes from a proxy, or from another server.
  }
  return { type: 'about:blank', title: `HTTP ${status}`, status, code: `HTTP_${status}`, detail: text.slice(0, 500) || `the server answered ${status}` };
}
