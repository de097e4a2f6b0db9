import type { z } from 'zod';
import { type ErrorCode, WritError } from '../../core/errors.ts';

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
  const { field, message } = fault(read.error);
  const code: ErrorCode = part === 'body' && aboutManifest(field) && row.problems.includes('INVALID_MANIFEST') ? 'INVALID_MANIFEST' : 'INVALID_ARGUMENT';
  throw new WritError(code, `${field === '' ? `the ${part}` : field}: ${message}`, field === '' ? {} : { field });
}

/** An empty object says nothing, and some clients cannot send less. */
function refuseBody(value: unknown): void {
  const empty = value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  if (!empty) throw new WritError('INVALID_ARGUMENT', 'this route takes no body');
}

function aboutManifest(field: string): boolean {
  return /^(?:manifest|envelope)(?:\.|$)/.test(field);
}

/** The first thing that is wrong. */
function fault(error: z.ZodError): { readonly field: string; readonly message: string } {
  const [issue] = closest(error.issues);
  if (issue === undefined) return { field: '', message: 'is invalid' };
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return { field: [...path, ...issue.keys.slice(0, 1)].join('.'), message: 'is not known here' };
  return { field: path.join('.'), message: issue.message };
}

/** Where the whole may be one of several forms, what is wrong with the form that knows most of its keys. */
function closest(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const [issue] = issues;
  if (issue?.code !== 'invalid_union' || issue.path.length > 0) return issues;
  const strangers = (branch: readonly z.core.$ZodIssue[]): number =>
    branch.flatMap((found) => (found.code === 'unrecognized_keys' && found.path.length === 0 ? found.keys : [])).length;
  const [best] = issue.errors.toSorted((a, b) => strangers(a) - strangers(b));
  return best ?? issues;
}
