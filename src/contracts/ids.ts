import { z } from 'zod';

/** Task ids are safe as file name parts and queue key parts; they are never a BullMQ jobId (`queues/enqueue.ts`). */
export const TASK_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The idempotency key of a task (file-executor.md 7). */
export const TaskId = z.string().regex(TASK_ID_PATTERN, 'must be 1 to 128 of A-Z a-z 0-9 . _ - and start with a letter or digit');

/** A lower-case hexadecimal SHA-256. */
export const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');
