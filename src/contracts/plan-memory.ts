import { z } from 'zod';
import { AnyObject, text } from './plan-text.ts';

/** What a plan remembers; only `state` changes while it runs (plan-executor.md, memory contract). */
export const Memory = z.strictObject({
  session_id: text(512),
  state: AnyObject,
  stack: z.array(z.string()).max(1000).optional(),
});
export type Memory = z.infer<typeof Memory>;
