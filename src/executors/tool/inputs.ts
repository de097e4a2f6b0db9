import { type TaskManifest, TOOL_CALL, ToolCallInputs } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { BoundTool, ToolEffectClass, ToolRequest } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';

/** A call that may be made. */
export interface ToolTask {
  readonly ref: string;
  readonly tool: BoundTool;
  readonly effect: ToolEffectClass;
  readonly request: ToolRequest;
  /** Wall-clock limit of this call, milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Judges capability, inputs and constraints of a manifest; touches no tool.
 *
 * @returns the call, or the FAILURE that answers it: `UNSUPPORTED_CAPABILITY`, `EXECUTION_FAILED` for inputs of another
 *   shape, `TOOL_UNAVAILABLE` for a tool or an operation that is not bound here
 */
export function parseTask(manifest: TaskManifest, tools: ReadonlyMap<string, BoundTool>): Result<ToolTask, Outcome> {
  if (manifest.capability_id !== TOOL_CALL) return no('UNSUPPORTED_CAPABILITY', 'the tool executor does TOOL_CALL only');
  const inputs = ToolCallInputs.safeParse(manifest.inputs);
  if (!inputs.success) {
    const issue = inputs.error.issues[0];
    return no('EXECUTION_FAILED', `${['inputs', ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? 'is not a tool call'}`);
  }
  // A tool knows no directories: a scope that nobody enforces must not look enforced.
  if (manifest.constraints.scope !== undefined) return no('EXECUTION_FAILED', 'constraints.scope has no meaning for TOOL_CALL');
  const { tool: ref, operation } = inputs.data;
  const tool = tools.get(ref);
  if (tool === undefined) return no('TOOL_UNAVAILABLE', 'inputs.tool is not bound to this queue on this host');
  const effect = tool.effects.get(operation);
  if (effect === undefined) return no('TOOL_UNAVAILABLE', 'inputs.operation is not an action of the binding of this tool');
  // Authenticated manifests are I-JSON, so params are JSON.
  const params = inputs.data.params as JsonObject;
  const { timeout_ms = tool.timeoutMs, retry_of } = inputs.data;
  // A server that knows the key of the first attempt does nothing twice; a request that may be sent once was answered then, and is another one now.
  const taskId = effect === 'once' ? manifest.task_id : (retry_of ?? manifest.task_id);
  return ok({ ref, tool, effect, timeoutMs: Math.min(timeout_ms, tool.timeoutMs), request: { taskId, operation, params } });
}

function no(code: Parameters<typeof failure>[0], message: string): Result<never, Outcome> {
  return failed(failure(code, message));
}
