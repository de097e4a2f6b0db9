import { z } from 'zod';
import { RESULT_ERROR_CODES } from './error-code.ts';

/**
 * The signed answer to a task. It carries no clock value, so the same task answers with the same bytes.
 * `signature` is a detached JWS (`header..signature`) over the canonical JSON of
 * `{task_id, capability_id, manifest_sha256, status, output, error}`.
 */
export const ExecutionResult = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('SUCCESS'),
    output: z.record(z.string(), z.unknown()),
    error: z.null(),
    signature: z.string(),
  }),
  z.strictObject({
    status: z.literal('FAILURE'),
    output: z.null(),
    error: z.strictObject({ error_code: z.enum(RESULT_ERROR_CODES), message: z.string().max(2000) }),
    signature: z.string(),
  }),
]);
export type ExecutionResult = z.infer<typeof ExecutionResult>;
