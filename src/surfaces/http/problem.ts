import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contracts/index.ts';
import { ERRORS, type ErrorCode, type FieldProblem, isWritError, messageOf } from '../../core/errors.ts';
import { withDiskFault } from '../../core/outage.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** What a code is called where a person reads; the codes of the table that HTTP may answer. */
const TITLES: Readonly<Record<ErrorCode, string>> = {
  INVALID_MANIFEST: 'Invalid manifest',
  INVALID_CONFIG: 'Invalid settings',
  INVALID_ARGUMENT: 'Invalid argument',
  BadArgs: 'Bad arguments of a search',
  ExecutionFailed: 'Search failed',
  SEARCH_NOT_ALLOWED: 'Search not allowed',
  INVALID_LEASE: 'Invalid lease',
  LEASE_EXPIRED: 'Lease expired',
  LEASE_REFUSED: 'Lease refused',
  HRC_REQUIRED: 'Confirmation required',
  TASK_ID_CONFLICT: 'Task id used for another manifest',
  UNAUTHORIZED: 'No valid key or session',
  FORBIDDEN: 'Role missing',
  HOST_NOT_ALLOWED: 'Host not allowed',
  ORIGIN_NOT_ALLOWED: 'Origin not allowed',
  NOT_FOUND: 'Not found',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  REQUEST_TIMEOUT: 'Request too slow',
  BODY_TOO_LARGE: 'Body too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  RATE_LIMITED: 'Too many requests',
  WRONG_STATE: 'Wrong state',
  INVALID_RESULT: 'Invalid result',
  KERNEL_UNAVAILABLE: 'Kernel unavailable',
  API_UNAVAILABLE: 'The API does not answer',
  REDIS_UNAVAILABLE: 'Redis unavailable',
  REDIS_TLS: 'No trusted connection to Redis',
  REDIS_POLICY: 'Redis set up wrongly',
  REDIS_FULL: 'Redis full',
  PACKAGE_MISSING: 'Package not installed',
  POOL_OWNED: 'Pool owned by another host',
  PLATFORM_UNSUPPORTED: 'Platform unsupported',
  STORAGE_UNAVAILABLE: 'Storage unavailable',
  INDEX_UNAVAILABLE: 'Index host unavailable',
  TIMEOUT: 'Timeout',
  INTERNAL: 'Internal error',
};

/** Refusals of Fastify and its plugins, by their code or status; every other 4xx is an INVALID_ARGUMENT. */
const FOREIGN: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'BODY_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
};

/**
 * Any error as an RFC 9457 document. What is our own fault (status 500) tells nothing of our insides: its message goes
 * to the log, under the `instance` of the document.
 */
export function problemOf(error: unknown, instance?: () => string): Problem {
  const { code, detail, field, problems } = understood(withDiskFault(error));
  const status = ERRORS[code].http;
  const inner = status === 500;
  return {
    type: `urn:writ:error:${code}`,
    title: TITLES[code],
    status,
    detail: inner ? 'The server failed; its log says why.' : detail,
    code,
    ...(field === undefined ? {} : { field }),
    ...(problems === undefined || inner ? {} : { problems: [...problems] }),
    ...(inner && instance !== undefined ? { instance: instance() } : {}),
  };
}

interface Understood {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly field?: string | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
}

function understood(error: unknown): Understood {
  if (isWritError(error)) return { code: error.code, detail: error.message, field: error.field, problems: error.problems };
  const { code, statusCode } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; statusCode?: unknown };
  const foreign = FOREIGN[String(code)] ?? FOREIGN[String(statusCode)];
  if (foreign !== undefined) return { code: foreign, detail: messageOf(error) };
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return { code: 'INVALID_ARGUMENT', detail: messageOf(error) };
  return { code: 'INTERNAL', detail: '' };
}

/** Seconds after which a client may try again, where that helps. */
const RETRY_AFTER_S: Readonly<Record<number, string>> = { 429: '5', 503: '2' };

/** Sends a problem document; a header that says more about it (Retry-After of the rate limit, Allow) stays. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const retry = RETRY_AFTER_S[problem.status];
  if (retry !== undefined && !reply.hasHeader('retry-after')) reply.header('retry-after', retry);
  return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
}
