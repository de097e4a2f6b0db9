import { z } from 'zod';
import { Problem, Role, ShownState, TaskFilter } from './api.ts';
import { HELD_TASK } from './held.ts';
import { TaskId } from './ids.ts';

/** What operators ask of tasks over HTTP, and the answers. */

/** `POST /v1/tasks/:id/retry`. */
export const RetryRequest = z.strictObject({
  /** `true`: under a new lease in any case; `false`: never. Absent: when the old lease has expired, as `board.regrant` says. */
  regrant: z.boolean().optional(),
});
export type RetryRequest = z.infer<typeof RetryRequest>;

/** The task runs again; its outcome lies under `location`. */
export const RetryAnswer = z.strictObject({ task_id: TaskId, regranted: z.boolean(), location: z.string(), ...HELD_TASK });
export type RetryAnswer = z.infer<typeof RetryAnswer>;

/** The task that takes the effect back, and where its outcome will lie. */
export const UndoAnswer = z.strictObject({
  task_id: TaskId,
  undo_of: TaskId,
  receipt: z.enum(['accepted', 'in_flight', 'retried', 'finished']),
  location: z.string(),
  ...HELD_TASK,
});
export type UndoAnswer = z.infer<typeof UndoAnswer>;

/** `cancelled`: nothing was done. `requested`: the outcome decides, `state` says where the task is. */
export const CancelAnswer = z.strictObject({ task_id: TaskId, cancel: z.enum(['cancelled', 'requested']), state: ShownState.optional(), ...HELD_TASK });
export type CancelAnswer = z.infer<typeof CancelAnswer>;

/** `POST /v1/tasks/retry`: every failed task that the filter finds. */
export const BulkRetryRequest = z.strictObject({
  filter: TaskFilter,
  regrant: z.boolean().optional(),
  /** At most so many tasks. */
  limit: z.int().min(1).max(10_000_000).optional(),
});
export type BulkRetryRequest = z.infer<typeof BulkRetryRequest>;

/** One line of the answer to a bulk retry; the last line is a BulkRetrySummary. */
export const BulkRetryLine = z.strictObject({
  task_id: z.string(),
  outcome: z.enum(['retried', 'refused']),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type BulkRetryLine = z.infer<typeof BulkRetryLine>;

export const BulkRetrySummary = z.strictObject({
  summary: z.strictObject({ tasks: z.int(), retried: z.int(), refused: z.int() }),
  /** Unless the filter finds no more: the filter that goes on with what is left. */
  rest: TaskFilter.optional(),
  /** Why it ended before all were asked. */
  problem: Problem.optional(),
});
export type BulkRetrySummary = z.infer<typeof BulkRetrySummary>;

/** JWKS (RFC 7517) of the keys that verify results. */
export const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });
export type KeySet = z.infer<typeof KeySet>;

/** A browser that is logged in. */
export const SessionView = z.strictObject({
  id: z.string(),
  /** Name of the key or of the login link; stands in the audit log. */
  name: z.string(),
  roles: z.array(Role),
  opened_at: z.iso.datetime({ precision: 3 }),
  ends_at: z.iso.datetime({ precision: 3 }),
  /** It asks. */
  current: z.boolean(),
});
export type SessionView = z.infer<typeof SessionView>;

/** `GET /v1/sessions`: the newest first. */
export const SessionList = z.strictObject({ sessions: z.array(SessionView) });
export type SessionList = z.infer<typeof SessionList>;

/** `DELETE /v1/sessions/:id`. */
export const SessionEnd = z.strictObject({ id: z.string(), name: z.string(), ended: z.literal(true) });
export type SessionEnd = z.infer<typeof SessionEnd>;
