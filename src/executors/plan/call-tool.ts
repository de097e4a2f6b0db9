import { ToolResult } from '../../contracts/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { errorOf, type Failure, failure, toolFailure } from './codes.ts';
import type { ReadyStep } from './compile-step.ts';
import { copyJson } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import { listed, validate } from './problems.ts';
import { memoryOf, nextName, type RunState, record, recordFailure, type StepRun } from './run-state.ts';

/** Operations that take any parameters. */
const UNCHECKED_OPERATIONS: ReadonlySet<string> = new Set(['sampleFetch']);

interface Caller {
  readonly run: RunState;
  readonly runId: string;
  readonly maxSteps: number;
  /** By name, with the parameters that each takes. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Asks for one invocation of a tool and records what it answers. */
export function* callTool({ ref, operation }: ReadyStep, params: JsonObject, { run, runId, maxSteps, operations }: Caller, path: string): StepRun {
  const chosen = operation ?? params['action'];
  const wrong = callProblem(chosen, operations, params);
  if (wrong !== undefined) return recordFailure(run, path, ref, wrong);
  const name = nextName(run, path, ref);
  if (run.calls >= maxSteps) return { failure: failure('MAX_STEPS_EXCEEDED', { limit: maxSteps }), step: name };
  if (path.length > LIMITS.stepPathLength) return { failure: failure('MAX_SIZE_EXCEEDED', { what: 'path', limit: LIMITS.stepPathLength }), step: name };
  run.calls += 1;
  const tool = Object.freeze({ ref, provider: ref, operation: String(chosen) });
  const context = contextOf(run);
  const answer = yield Object.freeze({ kind: 'call', path, toolInput: Object.freeze({ runId, stepId: name.stepId, tool, params, context }) });
  run.answers += 1;
  const { result, failed } = readResult(answer);
  run.last = result;
  const over = record(run, name, result);
  if (over !== undefined) return over;
  return failed && { failure: failed, step: name, endedBy: path };
}

/** Memory as the call has found it, made when somebody looks: most callers hand on the parameters alone. */
function contextOf({ memory, state }: RunState): { readonly memory: JsonObject } {
  return Object.freeze({
    get memory() {
      return memoryOf({ memory, state });
    },
  });
}

function callProblem(operation: Json | undefined, operations: Caller['operations'], params: JsonObject): Failure | undefined {
  if (typeof operation !== 'string') return failure('INVALID_TOOL_DEF');
  const known = operations.get(operation);
  if (known === undefined) return failure('UNKNOWN_OPERATION', { operation: operation.slice(0, 128) });
  if (UNCHECKED_OPERATIONS.has(operation)) return undefined;
  const unexpected = Object.keys(params).filter((key) => key !== 'action' && !known.has(key));
  return unexpected.length === 0 ? undefined : failure('PARAMS_MISMATCH', { unexpected: unexpected.slice(0, LIMITS.problems) });
}

interface ReadResult {
  readonly result: JsonObject & { readonly ok: boolean };
  readonly failed: Failure | undefined;
}

/** The tool's answer, or in its place the error that it is none. */
function readResult(answer: unknown): ReadResult {
  const copied = copyJson(answer, LIMITS.toolResult);
  const read = copied.ok ? validate(ToolResult, copied.value) : { ok: false as const, error: [copied.problem] };
  if (read.ok) {
    const { error } = read.value;
    // What was validated is the copy, which is JSON.
    return { result: read.value as ReadResult['result'], failed: error === null ? undefined : toolFailure(error) };
  }
  const failed = failure('INVALID_TOOL_RESULT', listed(read.error));
  return { result: Object.freeze({ ok: false, data: null, error: errorOf(failed) }), failed };
}
