import { BOUNDS, CONTENT_SEARCH, CONTENT_TIMEOUT_MAX_MS, type ContentSearchAnswer, type TaskManifest } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Execution, failure, type Outcome, outputBytes, success } from '../../core/outcome.ts';
import type { ContentSearch, ContentSearchError, RunContext, Task, TaskExecutor } from '../../core/ports/index.ts';
import { isSearchPlaceIn } from '../../core/search-place.ts';
import { stopped, stopReason } from '../../core/stopped.ts';

export interface ContentExecutorOptions {
  readonly tool: ContentSearch;
  /** Why this worker refuses every content search; `undefined` when it does not. */
  readonly refusal: string | undefined;
}

/** A search ends itself at its `timeout_ms`; the wall-clock limit of the worker is for one that does not. */
const MAX_RUN_MS = CONTENT_TIMEOUT_MAX_MS + 30_000;

/**
 * CONTENT_SEARCH: the `Search` tool as a task. The inputs are its request, the output is its answer without what depends
 * on the clock. Codes come from the closed set of the searches (search-executor.md 11). No host memory: a search has no
 * effect that could happen twice.
 */
export function createContentExecutor({ tool, refusal }: ContentExecutorOptions): TaskExecutor {
  return {
    capabilities: new Set([CONTENT_SEARCH]),
    maxRunMs: MAX_RUN_MS,
    execute: (task, context) => execute(task, context, tool, refusal),
  };
}

async function execute({ manifest }: Task, { signal, gate }: RunContext, tool: ContentSearch, refusal: string | undefined): Promise<Execution> {
  const refused = refusal ?? outsideScope(manifest);
  if (refused !== undefined) return { kind: 'outcome', outcome: failure('SCOPE_NOT_ALLOWED', refused) };
  const closed = gate();
  if (closed) return closed;
  const found = await tool.search(manifest.inputs, signal);
  const reason = stopReason(signal);
  if (reason) return stopped(reason);
  return { kind: 'outcome', outcome: found.ok ? carried(outputOf(found.answer)) : failureOf(found.error) };
}

/** The tool's own bound is that of a surface which asks it directly; a result has less room. */
function carried(output: JsonObject): Outcome {
  const bytes = outputBytes(output);
  if (bytes <= BOUNDS.output) return success(output);
  return failure('RESOURCE_EXHAUSTED', `the answer has ${bytes} bytes, and a result has room for ${BOUNDS.output}; ask for fewer (max_results)`);
}

/** `constraints.scope` is a directory that the search must not leave. */
function outsideScope({ inputs, constraints: { scope } }: TaskManifest): string | undefined {
  if (scope === undefined || isSearchPlaceIn(Object.hasOwn(inputs, 'path') ? inputs['path'] : undefined, scope)) return undefined;
  return 'inputs.path lies outside constraints.scope';
}

/** The words of the tool stay in the message, so that a caller of either surface finds the same. */
function failureOf({ code, field, message }: ContentSearchError) {
  const text = [code, field, message].filter((part) => part !== undefined).join(': ');
  return failure(code === 'BadArgs' ? 'INVALID_QUERY' : 'EXECUTION_FAILED', text);
}

/** A recorded result says nothing of time: the same search gives the same bytes. */
function outputOf({ exit_code, stderr, stats, ...answer }: ContentSearchAnswer): JsonObject {
  const { elapsed_ms: _, ...counted } = stats ?? {};
  return {
    ...answer,
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(stats === undefined ? {} : { stats: counted }),
  };
}
