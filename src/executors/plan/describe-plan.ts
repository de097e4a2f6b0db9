import type { StepType } from '../../contracts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { WrongCall } from '../../core/ports/plan.ts';
import { foreseenProblem, isChosenLater } from './call-problem.ts';
import { Failure } from './codes.ts';
import { fallbacksOf, type ReadyStep } from './compile-step.ts';
import { groupPrefix } from './group-path.ts';
import { LIMITS } from './limits.ts';
import { type LinkedPlan, linkSteps, type Operation } from './link.ts';
import { readEnvelope } from './read-envelope.ts';
import { readRegistry } from './registry.ts';

/** One step of the flattened tree; a group comes before its steps. */
export interface DescribedStep {
  /** As at run time, `#*` for the turns of a `for_each`, `!fb` for a fallback. */
  readonly path: string;
  readonly type: StepType;
  readonly ref: string;
  /** Of a tool, where it can be known before it runs. */
  readonly operation: string | undefined;
  /** Why the call of a tool will fail, where its definition says so before it runs. */
  readonly wrong: WrongCall | undefined;
  /** As written, templates not filled in. */
  readonly params: JsonObject;
  /** Groups around it. */
  readonly depth: number;
  readonly when: boolean;
  readonly save: boolean;
  readonly forEach: boolean;
  readonly fallback: boolean;
  readonly onError: 'stop' | 'continue' | 'fallback';
  /** Modes by the code for which they stand in place of `onError`. */
  readonly byCode: Readonly<Record<string, 'stop' | 'continue' | 'fallback'>>;
  /** Further attempts of a call that fails. */
  readonly retries: number;
  readonly timeoutMs: number | undefined;
}

export type DescribedPlan =
  | { readonly ok: true; readonly steps: readonly DescribedStep[] /** There are more than are listed. */; readonly truncated: boolean }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly details: JsonObject };

/** Every step that a plan may reach, in order; nothing is run. */
export function describePlan(linked: unknown): DescribedPlan {
  const read = readEnvelope(linked);
  const plan = read.ok ? linkSteps(read.envelope, readRegistry(read.envelope.payload)) : read.failure;
  if (plan instanceof Failure) return { ok: false, code: plan.code, message: plan.message, details: plan.details };
  const rows: DescribedStep[] = [];
  for (const row of walk(plan.steps, plan, '', 0)) {
    if (rows.length === LIMITS.described) return { ok: true, steps: rows, truncated: true };
    rows.push(row);
  }
  return { ok: true, steps: rows, truncated: false };
}

function* walk(steps: readonly ReadyStep[], plan: LinkedPlan, prefix: string, depth: number): Generator<DescribedStep> {
  for (const [index, step] of steps.entries()) {
    const place = `${prefix}${index}`;
    const turn = step.forEach === undefined ? place : `${place}#*`;
    yield* walkOne(step, plan, turn, depth, false);
    for (const fallback of fallbacksOf(step)) {
      yield* walkOne(fallback, plan, `${turn}!fb`, depth, true);
      // It also stands in for the whole loop, when there is no list.
      if (turn !== place) yield* walkOne(fallback, plan, `${place}!fb`, depth, true);
    }
  }
}

function* walkOne(step: ReadyStep, plan: LinkedPlan, path: string, depth: number, fallback: boolean): Generator<DescribedStep> {
  const { type, ref, params } = step;
  const definition = plan.definitionOf(step);
  const operation = definition.kind === 'tool' ? operationOf(step) : undefined;
  const action = definition.kind === 'tool' ? definition.operations.get(operation ?? '') : undefined;
  const flags = { when: step.when !== undefined, save: step.save !== undefined, forEach: step.forEach !== undefined, fallback };
  const byCode = Object.fromEntries([...step.byCode].map(([code, { mode }]) => [code, mode]));
  const errors = { onError: step.onError.mode, byCode, retries: (step.retry ?? action?.retry)?.max ?? 0, timeoutMs: step.timeoutMs ?? action?.timeoutMs };
  const wrong = definition.kind === 'tool' ? wrongCall(step, definition.operations) : undefined;
  yield { path, type, ref, operation, wrong, params, depth, ...flags, ...errors };
  if (definition.kind === 'group') yield* walk(definition.steps, plan, groupPrefix(path, step), depth + 1);
}

function operationOf(step: ReadyStep): string | undefined {
  const chosen = isChosenLater(step) ? undefined : (step.operation ?? step.params['action']);
  return typeof chosen === 'string' ? chosen : undefined;
}

function wrongCall(step: ReadyStep, operations: ReadonlyMap<string, Operation>): WrongCall | undefined {
  const problem = foreseenProblem(step, operations);
  if (problem === undefined) return undefined;
  const { code, message, details } = problem;
  const operation = operationOf(step);
  const action = operations.get(operation ?? '');
  const names = Array.isArray(details['unexpected']) ? details['unexpected'].map(String) : operation === undefined ? [] : [operation];
  return { kind: 'wrong', code, message, names, known: [...(action?.input ?? operations.keys())] };
}

/** What is declared about a step beside what it calls, in short words; defaults are not told. */
export function policiesOf({ when, save, forEach, fallback, onError, byCode, retries, timeoutMs }: DescribedStep): readonly string[] {
  return [
    ...(fallback ? ['is the fallback'] : []),
    ...(when ? ['when'] : []),
    ...(forEach ? ['for_each'] : []),
    ...(save ? ['save'] : []),
    ...(retries === 0 ? [] : [`retry: ${retries}`]),
    ...(timeoutMs === undefined ? [] : [`timeout: ${timeoutMs} ms`]),
    ...(onError === 'stop' ? [] : [`on_error: ${onError}`]),
    ...Object.entries(byCode).map(([code, mode]) => `on ${code}: ${mode}`),
  ];
}
