import type { z } from 'zod';
import { WritError } from '../core/errors.ts';

/** A body of the kernel's socket, or WritError INVALID_ARGUMENT with the field. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new WritError('INVALID_ARGUMENT', `${field || 'the body'}: ${issue?.message ?? 'is not what the route takes'}`, field ? { field } : {});
}
