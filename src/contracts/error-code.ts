/** The closed set of file-executor.md 8. */
export const FILE_ERROR_CODES = ['UNSUPPORTED_CAPABILITY', 'INVALID_LEASE', 'LEASE_EXPIRED', 'EXECUTION_FAILED', 'RESOURCE_EXHAUSTED'] as const;

/** The closed set of search-executor.md 11. */
export const SEARCH_ERROR_CODES = [
  'INVALID_LEASE',
  'LEASE_EXPIRED',
  'UNSUPPORTED_CAPABILITY',
  'INVALID_QUERY',
  'SCOPE_NOT_ALLOWED',
  'SCOPE_UNAVAILABLE',
  'EXECUTION_FAILED',
  'RESOURCE_EXHAUSTED',
] as const;

/** The closed set of TOOL_CALL: what every executor may answer, and three of its own (docs/tools.md). */
export const TOOL_ERROR_CODES = [...FILE_ERROR_CODES, 'TOOL_FAILED', 'TOOL_UNAVAILABLE', 'TOOL_OUTCOME_UNKNOWN'] as const;

/** Codes that an executor's answer to a task may carry. */
export const EXECUTOR_ERROR_CODES = [
  ...FILE_ERROR_CODES,
  'INVALID_QUERY',
  'SCOPE_NOT_ALLOWED',
  'SCOPE_UNAVAILABLE',
  'TOOL_FAILED',
  'TOOL_UNAVAILABLE',
  'TOOL_OUTCOME_UNKNOWN',
] as const;
export type ExecutorErrorCode = (typeof EXECUTOR_ERROR_CODES)[number];

/** Codes that an ExecutionResult may carry; the last two are of steps that wait for somebody's word (docs/plan-protocol.md 10). */
export const RESULT_ERROR_CODES = [...EXECUTOR_ERROR_CODES, 'APPROVAL_DENIED', 'APPROVAL_EXPIRED'] as const;
export type ResultErrorCode = (typeof RESULT_ERROR_CODES)[number];

/** Failures that speak of one job's own lease: another job of the same task may have a better one. */
export const FAILURES_OF_ONE_LEASE: ReadonlySet<string> = new Set(['LEASE_EXPIRED', 'INVALID_LEASE']);

/** The failure of a step that its plan does not see: it gets another lease while the plan's lives. Any other the plan goes on from. */
export const NO_ANSWER_OF_A_STEP = 'LEASE_EXPIRED';

/** Whether a FAILURE leaves the task to other jobs. */
export function leavesTask(code: string, isStep: boolean): boolean {
  return isStep ? code === NO_ANSWER_OF_A_STEP : FAILURES_OF_ONE_LEASE.has(code);
}

/** Codes for which a producer's own `attempts` are honoured (design 4.7). */
export const RETRYABLE_CODES: ReadonlySet<string> = new Set(['SCOPE_UNAVAILABLE', 'EXECUTION_FAILED', 'RESOURCE_EXHAUSTED', 'TOOL_FAILED']);
