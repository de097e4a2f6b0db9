import { z } from 'zod';

/** Queues as operators see them, over HTTP and MCP. */

/** A queue of this pool: `file`, `plan`, `tool-crm`; with another pool than the default one `file@<pool>`. */
const QueueName = z.string().min(1).max(200);

/** A queue as it is now; shards are added up. */
export const QueueView = z.strictObject({
  queue: QueueName,
  /** No worker takes another job of it; what runs goes on. */
  paused: z.boolean(),
  waiting: z.int(),
  active: z.int(),
  delayed: z.int(),
  completed: z.int(),
  failed: z.int(),
  /** How long the oldest waiting job has waited; absent when none waits. */
  oldest_waiting_ms: z.int().optional(),
  /** BullMQ workers that are connected. */
  workers: z.int(),
});
export type QueueView = z.infer<typeof QueueView>;

/** `GET /v1/queues`: every queue of the pool, in a fixed order. */
export const QueueList = z.strictObject({ queues: z.array(QueueView) });
export type QueueList = z.infer<typeof QueueList>;

/** `POST /v1/queues/:queue/pause` and `/resume`. `changed`: it was not so before. */
export const QueueSwitch = z.strictObject({ queue: QueueName, paused: z.boolean(), changed: z.boolean() });
export type QueueSwitch = z.infer<typeof QueueSwitch>;

export const QueueAction = z.enum(['pause', 'resume']);
export type QueueAction = z.infer<typeof QueueAction>;
