import type { z } from 'zod';
import { type ErrorCode, WritError } from '../../core/errors.ts';
import { faultOf, isAboutManifest } from '../shared/input/schema-fault.ts';

type Part = 'params' | 'query' | 'body';

/**
 * One part of a request through the schema of its row. Without a schema there must be nothing, and `T` is `undefined`.
 *
 * @throws WritError with the dotted path in `field`: INVALID_MANIFEST for what lies below `manifest` or `envelope` where the row knows
 *   that code, otherwise INVALID_ARGUMENT
 */
export function checked<T>(row: { readonly problems: readonly ErrorCode[] }, part: Part, schema: z.ZodType<T> | undefined, value: unknown): T {
  if (schema === undefined) {
    if (part === 'body') refuseBody(value);
    return undefined as T;
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { field, message } = faultOf(read.error);
  const code: ErrorCode = part === 'body' && isAboutManifest(field) && row.problems.includes('INVALID_MANIFEST') ? 'INVALID_MANIFEST' : 'INVALID_ARGUMENT';
  throw new WritError(code, `${field === '' ? `the ${part}` : field}: ${message}`, field === '' ? {} : { field });
}

/** An empty object says nothing, and some clients cannot send less. */
function refuseBody(value: unknown): void {
  const empty = value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  if (!empty) throw new WritError('INVALID_ARGUMENT', 'this route takes no body');
}
