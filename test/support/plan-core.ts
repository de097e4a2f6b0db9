import { expect } from 'vitest';
import { ResultEnvelope, ToolInput } from '../../src/contracts/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanCall, PlanDone, PlanRun } from '../../src/core/ports/plan.ts';
import { startPlan } from '../../src/executors/plan/index.ts';

export const HEADER = { id: 'run-1', version: '1.0', timestamp: '2026-01-01T00:00:00Z', source: 'test', destination: 'executor', type: 'execution' };

export type StepLike = JsonObject;

export function tool(id: string, actions: Readonly<Record<string, readonly string[]>>): JsonObject {
  return { id, version: '1.0.0', categories: ['test'], actions: Object.entries(actions).map(([name, input]) => ({ name, input: [...input] })) };
}

export function capability(id: string, steps: readonly StepLike[]): JsonObject {
  return { id, version: '1.0.0', inputs: [], outputs: [], steps: [...steps] };
}

export function usecase(id: string, steps: readonly StepLike[]): JsonObject {
  return { id, version: '1.0.0', steps: [...steps] };
}

export type Catalog = Readonly<Record<'tools' | 'capabilities' | 'usecases', readonly JsonObject[]>>;

/** The registry files of definitions, one file each. */
export function files(catalog: Partial<Catalog>): JsonObject[] {
  return Object.entries(catalog).flatMap(([category, definitions]) => definitions.map((content) => ({ category, ref: String(content['id']), content })));
}

/** A tool that takes anything by the name of `x`, `y`, `z` or `text`. */
export const ECHO = tool('echo', { say: ['x', 'y', 'z', 'text'], other: [] });

/** A step that calls `echo`. */
export function say(params: JsonObject = {}, more: JsonObject = {}): StepLike {
  return { type: 'tool', ref: 'echo', operation: 'say', params, ...more };
}

export function cap(ref: string, params: JsonObject = {}, more: JsonObject = {}): StepLike {
  return { type: 'capability', ref, params, ...more };
}

export interface PlanParts {
  readonly state?: JsonObject;
  readonly options?: JsonObject;
  readonly catalog?: Partial<Catalog>;
}

export function execution(steps: readonly StepLike[], { state = {}, options, catalog = {} }: PlanParts = {}): JsonObject {
  const registryFiles = files({ tools: [ECHO], ...catalog });
  return { header: HEADER, payload: { steps: [...steps], memory: { session_id: 's', state }, registryFiles, ...(options && { options }) } };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}

export const ok = (data: JsonObject = {}): JsonObject => ({ ok: true, data, error: null });
export const bad = (code = 'TOOL_FAILED', details?: JsonObject): JsonObject => ({
  ok: false,
  data: null,
  error: { code, message: `${code} it is`, ...(details && { details }) },
});

export interface Played {
  readonly calls: readonly PlanCall[];
  readonly done: PlanDone;
  readonly run: PlanRun;
  readonly results: readonly JsonObject[];
  readonly state: JsonObject;
  readonly error: JsonObject | null;
  readonly code: string | undefined;
}

/** Runs a frozen envelope to its end; checks every tool input and the end against their contracts. */
export function play(envelope: unknown, answer: (call: PlanCall, index: number) => unknown = () => ok()): Played {
  const run = startPlan(deepFreeze(envelope));
  const calls: PlanCall[] = [];
  for (let state = run.current; state.kind === 'call'; state = run.feed(deepFreeze(answer(state, calls.length - 1)))) {
    expect(ToolInput.safeParse(state.toolInput).success).toBe(true);
    calls.push(state);
  }
  const done = run.current as PlanDone;
  expect(ResultEnvelope.safeParse(done.envelope).error).toBeUndefined();
  // The contract has just been checked; what it says is kept as it came.
  const { output, error } = done.envelope as JsonObject & { output: { results: JsonObject[]; memory: { state: JsonObject } }; error: JsonObject | null };
  expect(done.error === null).toBe(error === null);
  return { calls, done, run, results: output.results, state: output.memory.state, error, code: done.error?.code };
}

/** The parameters of every call, in order. */
export const paramsOf = ({ calls }: Played): readonly JsonObject[] => calls.map(({ toolInput }) => toolInput.params);
export const pathsOf = ({ calls }: Played): readonly string[] => calls.map(({ path }) => path);

/** Failures that a declared retry follows: a code, and a sentence of those that come with it. */
export const RETRIED_FAILURES = [
  ['TOOL_FAILED', 'the tool answered 503'],
  ['TOOL_UNAVAILABLE', 'inputs.tool is not bound to this queue on this host'],
  ['EXECUTION_FAILED', 'the source does not exist'],
  ['RESOURCE_EXHAUSTED', 'the task ran longer than its wall-clock limit'],
  ['SCOPE_UNAVAILABLE', 'away'],
] as const;
