import { ERRORS, type ErrorCode } from '../../../core/errors.ts';
import type { AnyRoute } from '../route.ts';
import { hasBody } from './operation-body.ts';

/** Problems that come from the checks before a route, so that no row needs to list them. */
export function problemCodes(row: AnyRoute): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(['HOST_NOT_ALLOWED', 'RATE_LIMITED', 'INTERNAL', ...row.problems]);
  if (row.access !== 'open') for (const code of ['UNAUTHORIZED', 'INVALID_ARGUMENT'] as const) codes.add(code);
  if (Array.isArray(row.access)) codes.add('FORBIDDEN');
  if (row.method !== 'GET') codes.add('ORIGIN_NOT_ALLOWED');
  if (row.params !== undefined || row.query !== undefined) codes.add('INVALID_ARGUMENT');
  if (hasBody(row)) for (const code of ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'] as const) codes.add(code);
  return [...codes].sort();
}

/** The codes by the status that they are answered with. */
export function problemsByStatus(row: AnyRoute): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of problemCodes(row)) byStatus.set(ERRORS[code].http, [...(byStatus.get(ERRORS[code].http) ?? []), code]);
  return byStatus;
}
