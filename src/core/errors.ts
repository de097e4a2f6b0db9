/**
 * Every error that Writ raises on purpose, in one table: code → exit code of the command line and HTTP status.
 * (Codes inside an ExecutionResult are a contract of their own: `contracts/error-code.ts`.)
 */
export const ERRORS = {
  INVALID_MANIFEST: { exit: 2, http: 400 },
  INVALID_CONFIG: { exit: 2, http: 500 },
  INVALID_ARGUMENT: { exit: 2, http: 400 },
  BadArgs: { exit: 2, http: 400 },
  ExecutionFailed: { exit: 2, http: 422 },
  SEARCH_NOT_ALLOWED: { exit: 2, http: 403 },
  INVALID_LEASE: { exit: 1, http: 403 },
  LEASE_EXPIRED: { exit: 1, http: 403 },
  LEASE_REFUSED: { exit: 1, http: 403 },
  HRC_REQUIRED: { exit: 1, http: 403 },
  TASK_ID_CONFLICT: { exit: 1, http: 422 },
  UNAUTHORIZED: { exit: 1, http: 401 },
  FORBIDDEN: { exit: 1, http: 403 },
  HOST_NOT_ALLOWED: { exit: 1, http: 421 },
  ORIGIN_NOT_ALLOWED: { exit: 1, http: 403 },
  NOT_FOUND: { exit: 1, http: 404 },
  METHOD_NOT_ALLOWED: { exit: 2, http: 405 },
  REQUEST_TIMEOUT: { exit: 3, http: 408 },
  BODY_TOO_LARGE: { exit: 2, http: 413 },
  UNSUPPORTED_MEDIA_TYPE: { exit: 2, http: 415 },
  RATE_LIMITED: { exit: 3, http: 429 },
  WRONG_STATE: { exit: 1, http: 409 },
  INVALID_RESULT: { exit: 1, http: 502 },
  KERNEL_UNAVAILABLE: { exit: 3, http: 503 },
  API_UNAVAILABLE: { exit: 3, http: 503 },
  REDIS_UNAVAILABLE: { exit: 3, http: 503 },
  REDIS_TLS: { exit: 3, http: 503 },
  REDIS_POLICY: { exit: 3, http: 503 },
  REDIS_FULL: { exit: 3, http: 429 },
  PACKAGE_MISSING: { exit: 3, http: 503 },
  POOL_OWNED: { exit: 3, http: 503 },
  PLATFORM_UNSUPPORTED: { exit: 3, http: 503 },
  STORAGE_UNAVAILABLE: { exit: 3, http: 503 },
  INDEX_UNAVAILABLE: { exit: 3, http: 503 },
  TIMEOUT: { exit: 3, http: 504 },
  INTERNAL: { exit: 3, http: 500 },
} satisfies Record<string, { exit: number; http: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** One thing that is wrong with a document. */
export interface FieldProblem {
  /** Dotted path; empty for the whole value. */
  readonly field: string;
  readonly message: string;
}

/** An error with a stable code, a sentence for a person and, where one is to blame, the field. */
export class WritError extends Error {
  override readonly name = 'WritError';
  readonly code: ErrorCode;
  /** Dotted path of the field at fault. */
  readonly field: string | undefined;
  /** Where a document was judged: everything that is wrong with it, the first included. */
  readonly problems: readonly FieldProblem[] | undefined;

  constructor(code: ErrorCode, message: string, options: { field?: string; problems?: readonly FieldProblem[]; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.problems = options.problems;
  }
}

export function isWritError(error: unknown): error is WritError {
  return error instanceof WritError;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
