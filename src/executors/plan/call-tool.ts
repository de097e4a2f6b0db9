import { RETRIED_CODES, type Retry, ToolResult } from '../../contracts/index.ts';
import { failureCause } from '../../core/failure-cause.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PlanCall } from '../../core/ports/plan.ts';
import { callProblem } from './call-problem.ts';
import { errorOf, type Failure, failure, toolFailure, tooManySteps } from './codes.ts';
import type { ReadyStep } from './compile-step.ts';
import { copyJson } from './json-copy.ts';
import { LIMITS } from './limits.ts';
import type { Operation } from './link.ts';
import { listed, validate } from './problems.ts';
import { memoryOf, nextName, type RunState, record, recordFailure, type StepRun, type Stop } from './run-state.ts';

interface Caller {
  readonly run: RunState;
  readonly runId: string;
  readonly maxSteps: number;
  readonly operations: ReadonlyMap<string, Operation>;
}

/** Calls a tool, again after failures for which a retry is declared; each attempt is a step of its own place (docs/plan-protocol.md 8). */
export function* callTool(step: ReadyStep, params: JsonObject, caller: Caller, path: string): StepRun {
  const { ref, operation, retry, timeoutMs } = step;
  const chosen = operation ?? params['action'];
  const wrong = callProblem(chosen, caller.operations, params);
  if (wrong !== undefined) return recordFailure(caller.run, path, ref, wrong);
  const action = caller.operations.get(String(chosen));
  const policy = retry ?? action?.retry;
  const limit = timeoutMs ?? action?.timeoutMs;
  const call = { ref, operation: String(chosen), params, ...(limit === undefined ? {} : { timeoutMs: limit }) };
  let stop = yield* callOnce(call, caller, path);
  for (let attempt = 2; stop !== undefined && mayRetry(stop, policy, attempt); attempt += 1) {
    const waitMs = Math.min(MAX_BACKOFF_MS, (policy?.backoff_ms ?? BACKOFF_MS) * 2 ** (attempt - 2));
    stop = yield* callOnce({ ...call, retry: { attempt, waitMs } }, caller, `${path}~${attempt}`);
  }
  return stop;
}

const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 3_600_000;

/**
 * Reasons after which another attempt may go otherwise, and of which it is known that there was no effect or that a repetition does no harm:
 * a call that may be sent once only and whose outcome is unknown has a reason of its own. Kernel and worker must agree on this set.
 */
const RETRIED_REASONS: ReadonlySet<string> = new Set([
  ...['source_missing', 'destination_taken', 'directory_missing', 'permission_denied', 'place_exchanged', 'vault_full'],
  ...['source_unreadable', 'time_limit', 'host_limit', 'tool_unavailable', 'tool_failed'],
]);

function mayRetry({ failure: { code, message }, endedBy }: Stop, policy: Retry | undefined, attempt: number): boolean {
  if (policy === undefined || attempt > policy.max + 1 || endedBy === undefined) return false;
  const codes: readonly string[] = policy.codes ?? RETRIED_CODES;
  return codes.includes(code) && RETRIED_REASONS.has(failureCause(code, message).reason);
}

interface OneCall extends Pick<PlanCall, 'retry' | 'timeoutMs'> {
  readonly ref: string;
  readonly operation: string;
  readonly params: JsonObject;
}

/** Asks for one invocation of a tool and records what it answers. */
function* callOnce({ ref, operation, params, ...terms }: OneCall, { run, runId, maxSteps }: Caller, path: string): StepRun {
  const name = nextName(run, path, ref);
  if (run.calls >= maxSteps) return { failure: tooManySteps(maxSteps), step: name };
  if (path.length > LIMITS.stepPathLength) return { failure: failure('MAX_SIZE_EXCEEDED', { what: 'path', limit: LIMITS.stepPathLength }), step: name };
  run.calls += 1;
  const tool = Object.freeze({ ref, provider: ref, operation });
  const context = contextOf(run);
  const answer = yield Object.freeze({ kind: 'call', path, ...terms, toolInput: Object.freeze({ runId, stepId: name.stepId, tool, params, context }) });
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
