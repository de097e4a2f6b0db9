import { z } from 'zod';

/** Members that say to whoever waits that somebody has paused a queue, and that nothing goes on until it is resumed. */

/** Of a task, or of messages: told after a wait that was in vain. */
export const HELD_TASK = { queue_paused: z.literal(true).optional() };
/** Of a plan: the queue in which it, or its step, waits. */
export const HELD_PLAN = { paused_queue: z.string().optional() };
