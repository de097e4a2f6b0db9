import { ERRORS, type ErrorCode, isWritError, messageOf } from '../core/errors.ts';
import { withDiskFault } from '../core/outage.ts';
import type { Problem } from './wire.ts';

/** Any error as an RFC 9457 document. What is not ours and not the caller's fault tells nothing about our insides. */
export function problemOf(thrown: unknown): Problem {
  const error = withDiskFault(thrown);
  if (isWritError(error)) return problem(error.code, error.message, ERRORS[error.code].http, error.field);
  const status = clientStatus(error);
  if (status !== undefined) return problem('INVALID_ARGUMENT', messageOf(error), status);
  return problem('INTERNAL', 'the kernel failed; its log says why', 500);
}

function problem(code: ErrorCode, detail: string, status: number, field?: string): Problem {
  return { type: 'about:blank', title: code, status, detail, code, ...(field === undefined ? {} : { field }) };
}

/** Fastify's own refusals (body too large, wrong media type) carry a 4xx status. */
function clientStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}
