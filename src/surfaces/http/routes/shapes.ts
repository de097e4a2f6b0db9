import { z } from 'zod';
import { EndpointId, PlanFilter, Sha256Hex, TaskFilter, TaskId } from '../../../contracts/index.ts';
import { WHEN } from '../../../core/when.ts';

/** Parameters that several routes share. */
export const TaskParams = z.strictObject({ id: TaskId });

export const PlanParams = z.strictObject({ id: Sha256Hex });

/** Tries for errors that may pass, as `writ push --attempts`. */
const Attempts = z.coerce.number().int().min(1).max(25);
const Flag = z.enum(['true', 'false']).transform((word) => word === 'true');

/** When a push may run. */
const when = {
  not_before: z.iso.datetime({ offset: true }).optional().describe('No worker takes it before (RFC 3339), at most 366 days ahead.'),
  priority: z.coerce.number().int().min(0).max(WHEN.priority).optional().describe('0, as without: before every other; then 1 before 2.'),
};

export const PushQuery = z.strictObject({
  attempts: Attempts.optional().describe('Tries for errors that may pass, 1 to 25; 1 unless given.'),
  queue: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "Queue including its pool, `file@archive`; unless given, the capability's queue in the configured pool, or for a `TOOL_CALL` the one that its lease names.",
    ),
  ...when,
  sign: Flag.optional().describe('`true`: the kernel issues a lease for a task that has none; needs the role `kernel` as well.'),
  webhook: EndpointId.optional().describe('Endpoint of the settings that is told of the end, beside those of the key (docs/webhooks.md).'),
  dry_run: Flag.optional().describe('`true`: only says what the push would meet; nothing is queued, signed or recorded. One task, no stream.'),
});
export type PushQuery = z.infer<typeof PushQuery>;

export const ListQuery = TaskFilter.extend({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Tasks on a page.'),
  cursor: z.string().min(1).max(1024).optional().describe('`next` of the page before.'),
});

export const PlanPushQuery = z.strictObject({
  sign: Flag.optional().describe('`true`: the kernel issues a lease for a plan that has none; needs the role `kernel` as well.'),
  ...when,
  webhook: EndpointId.optional().describe('Endpoint of the settings that is told of the end, beside those of the key (docs/webhooks.md).'),
});
export type PlanPushQuery = z.infer<typeof PlanPushQuery>;

export const PlanReadQuery = z.strictObject({
  memory: Flag.optional().describe('`true`: with the signed end, which holds the results of all steps and the memory; needs the role `operate` as well.'),
});

const cursor = z.string().min(1).max(1024).optional().describe('`next` of the page before.');

export const PlanListQuery = PlanFilter.extend({ limit: z.coerce.number().int().min(1).max(500).default(50).describe('Plans on a page.'), cursor });

export const PlanHistoryQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('Steps on a page.'),
  cursor,
});

export const BulkRetryQuery = z.strictObject({
  dry_run: Flag.optional().describe('`true`: only counts what the filter finds; nothing runs again.'),
});
export type BulkRetryQuery = z.infer<typeof BulkRetryQuery>;

export const LOCATION = { location: 'Where the outcome will lie.' };
export const REPLAYED = { 'idempotency-replayed': '`true`: the same task was known already; nothing was queued.' };

export function locationOf(taskId: string): string {
  return `/v1/tasks/${taskId}`;
}

export function planLocationOf(planId: string): string {
  return `/v1/plans/${planId}`;
}
