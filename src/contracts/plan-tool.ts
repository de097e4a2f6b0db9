import { z } from 'zod';
import { Memory } from './plan-memory.ts';
import { AnyObject, PlanError, Ref, text } from './plan-text.ts';

/** What a tool is handed (plan-executor.md, tool I/O bridge). */
export const ToolInput = z.strictObject({
  runId: text(512),
  stepId: text(256),
  tool: z.strictObject({ ref: Ref, provider: Ref, operation: text(128) }),
  params: AnyObject,
  context: z.strictObject({ memory: Memory }),
});
export type ToolInput = z.infer<typeof ToolInput>;

export type { PlanError };

/** What a tool answers: data or an error, never both. `meta` must be the same whenever the same call is answered. */
export const ToolResult = z.union([
  z.strictObject({ ok: z.literal(true), data: AnyObject.nullable(), error: z.null(), meta: AnyObject.optional() }),
  z.strictObject({ ok: z.literal(false), data: z.null(), error: PlanError, meta: AnyObject.optional() }),
]);
export type ToolResult = z.infer<typeof ToolResult>;
