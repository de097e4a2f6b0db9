import type { z } from 'zod';
import { problemsOf, refusalOf } from '../core/shape-problems.ts';

/** A body of the kernel's socket, or WritError INVALID_ARGUMENT with the field. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refusalOf('INVALID_ARGUMENT', problemsOf(parsed.error, schema, body), 'the body');
}
