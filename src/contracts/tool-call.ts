import { z } from 'zod';
import { TaskId } from './ids.ts';
import { CallTimeout } from './plan-step.ts';

/** The capability of a task that calls a tool which is bound on the worker's host (docs/tools.md). */
export const TOOL_CALL = 'TOOL_CALL';

/** How a tool is named: the same word in its definition, its binding and the envelope of a plan. */
export const TOOL_REF_PATTERN = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/** The queue of a provider's tools is `tool-<provider>`. */
export const PROVIDER_PATTERN = /^[a-z0-9-]{1,32}$/;

/** Inputs of a TOOL_CALL. `params` go to the tool as they are; its binding says where they land. */
export const ToolCallInputs = z.strictObject({
  tool: z.string().min(1).max(128),
  operation: z.string().min(1).max(128),
  params: z.record(z.string(), z.unknown()),
  timeout_ms: CallTimeout.optional().meta({ description: 'Wall-clock limit of this call; never longer than that of the binding.' }),
  retry_of: TaskId.optional().meta({ description: 'Task of the first attempt of the same step, whose Idempotency-Key an idempotent call keeps.' }),
});
export type ToolCallInputs = z.infer<typeof ToolCallInputs>;

/** What the SUCCESS of a TOOL_CALL says. `meta` holds no date and no duration: the same answer has the same bytes. */
export const ToolCallOutput = z.strictObject({
  data: z.record(z.string(), z.unknown()),
  meta: z.record(z.string(), z.unknown()).optional(),
});
export type ToolCallOutput = z.infer<typeof ToolCallOutput>;
