import type { JsonObject } from '../../core/json.ts';
import type { PlanCall } from '../../core/ports/plan.ts';
import { errorOf, type Failure, failure } from './codes.ts';
import { LIMITS } from './limits.ts';
import { type Meter, measure } from './measure.ts';
import { membersAt, momentOf, type StateMoment, stateAt } from './memory-state.ts';
import type { Roots } from './paths.ts';
import { stateOf } from './read-envelope.ts';

/** What `output` holds of one step. */
interface StepName {
  readonly stepId: string;
  readonly path: string;
  readonly ref: string;
}

/** An error on its way out. */
export interface Stop {
  readonly failure: Failure;
  readonly step: StepName;
  /** The call whose result is the error. */
  readonly endedBy?: string;
  /** The error of the step that a fallback could not stand in for. */
  readonly cause?: Failure;
}

/** What expressions see beside memory: `input` is what was bound for the group at hand, nothing is inherited. */
export type Scope = Omit<Roots, 'memory' | 'kept'>;

/** Runs until a tool is to be called, goes on with its answer, and ends with the error that nothing has handled. */
export type StepRun = Generator<PlanCall, Stop | undefined, unknown>;

/** Everything that changes while a plan runs. */
export interface RunState {
  readonly memory: JsonObject;
  /** `memory.state`. */
  state: StateMoment;
  readonly results: JsonObject[];
  /** `undefined`: nobody has asked for it. */
  readonly trace: JsonObject[] | undefined;
  readonly meter: Meter;
  /** Concrete steps reached so far, skipped ones included. */
  ordinal: number;
  /** Tool invocations. */
  calls: number;
  /** Answers of tools. */
  answers: number;
  visits: number;
  outputBytes: number;
  maxDepth: number;
  /** The last result of a tool in the group at hand. */
  last: JsonObject | undefined;
}

export function newRunState(memory: JsonObject, traced: boolean): RunState {
  return {
    memory,
    state: momentOf(stateOf(memory)),
    results: [],
    trace: traced ? [] : undefined,
    meter: { left: LIMITS.work },
    ordinal: 0,
    calls: 0,
    answers: 0,
    visits: 0,
    outputBytes: 0,
    maxDepth: 0,
    last: undefined,
  };
}

/** Memory as it is now, for good. */
export function memoryOf({ memory, state }: Pick<RunState, 'memory' | 'state'>): JsonObject {
  return Object.freeze({ ...memory, state: stateAt(state) });
}

/** What conditions and templates see now; good until something is saved. */
export function rootsOf(run: RunState, scope: Scope): Roots {
  return { ...scope, memory: { ...run.memory, state: membersAt(run.state) }, kept: () => memoryOf(run) };
}

/** The name of the step that is about to be reached. */
export function comingName({ ordinal }: RunState, path: string, ref: string): StepName {
  return { stepId: `${ordinal}-${ref}`, path, ref };
}

export function nextName(run: RunState, path: string, ref: string): StepName {
  const name = comingName(run, path, ref);
  run.ordinal += 1;
  return name;
}

/** Adds to `results` and `trace`; they have a common limit. */
export function record(run: RunState, name: StepName, entry: JsonObject & { readonly ok: boolean }): Stop | undefined {
  const { stepId, ref } = name;
  const whole = Object.freeze({ stepId, ref, ...entry });
  run.results.push(whole);
  return charge(run, name, measure(whole).bytes) ?? trace(run, name, { ok: entry.ok });
}

function trace(run: RunState, name: StepName, how: JsonObject): Stop | undefined {
  if (run.trace === undefined) return undefined;
  const item = Object.freeze({ ...name, ...how });
  run.trace.push(item);
  return charge(run, name, measure(item).bytes);
}

/** A step that failed after its tool had answered. */
export function traceFailure(run: RunState, name: StepName): Stop | undefined {
  return trace(run, name, { ok: false });
}

/** The entry of an error that no tool has answered with. */
export function recordFailure(run: RunState, path: string, ref: string, failed: Failure): Stop {
  const step = nextName(run, path, ref);
  return record(run, step, { ok: false, data: null, error: errorOf(failed) }) ?? { failure: failed, step };
}

/** A skipped group is no concrete step: it does not count. */
export function recordSkipped(run: RunState, path: string, ref: string, counts: boolean): Stop | undefined {
  const name = nextName(run, path, ref);
  if (!counts) run.ordinal -= 1;
  return trace(run, name, { skipped: true });
}

function charge(run: RunState, step: StepName, bytes: number): Stop | undefined {
  run.outputBytes += bytes + 1;
  if (run.outputBytes <= LIMITS.output.bytes) return undefined;
  return { failure: failure('MAX_SIZE_EXCEEDED', { what: 'results', limit: LIMITS.output.bytes }), step };
}
