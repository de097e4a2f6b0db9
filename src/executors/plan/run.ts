import type { JsonObject } from '../../core/json.ts';
import { callTool } from './call-tool.ts';
import { Failure, failure } from './codes.ts';
import type { ReadyStep } from './compile-step.ts';
import { itemsOf, setLocal } from './for-each.ts';
import { groupPrefix } from './group-path.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import type { LinkedPlan } from './link.ts';
import type { Normalized } from './read-envelope.ts';
import { comingName, type RunState, recordFailure, recordSkipped, rootsOf, type Scope, type StepRun, type Stop, traceFailure } from './run-state.ts';
import { applySave } from './save.ts';
import { bindTemplate } from './template.ts';

/** The same for every step of one group. */
interface Frame {
  readonly plan: LinkedPlan;
  readonly run: RunState;
  readonly maxSteps: number;
  readonly runId: string;
  readonly scope: Scope;
  /** Groups around these steps. */
  readonly depth: number;
  readonly prefix: string;
}

/** The steps of the envelope itself. @returns the error that ends the plan, `undefined` for success */
export function runPlan(envelope: Normalized, plan: LinkedPlan, run: RunState): StepRun {
  const { context = {}, input = {}, maxSteps = DEFAULTS.maxSteps } = envelope.options;
  // Options are part of a copied envelope, so they are JSON.
  const scope = { context: context as JsonObject, input: input as JsonObject };
  return runSteps(plan.steps, { plan, run, maxSteps, runId: envelope.header.id, scope, depth: 0, prefix: '' });
}

function* runSteps(steps: readonly ReadyStep[], frame: Frame): StepRun {
  for (const [index, step] of steps.entries()) {
    const stop = yield* runStep(step, frame, `${frame.prefix}${index}`);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** One step: its condition, then once or for each item of a list. */
function* runStep(step: ReadyStep, frame: Frame, path: string): StepRun {
  const { run, scope } = frame;
  const over = visit(step, run, path);
  if (over !== undefined) return over;
  const wanted = step.when === undefined || step.when(rootsOf(run, scope), run.meter);
  const spent = outOfWork(step, run, path);
  if (spent !== undefined) return spent;
  if (wanted === undefined) return yield* handle(step, frame, path, recordFailure(run, path, step.ref, failure('WHEN_ERROR')));
  if (!wanted) return recordSkipped(run, path, step.ref, step.type === 'tool');
  return yield* step.forEach === undefined ? runOnce(step, frame, path) : runTurns(step, step.forEach, frame, path);
}

/** Every step that is reached costs a little, so that a plan which only skips ends, too. */
function visit(step: ReadyStep, run: RunState, path: string): Stop | undefined {
  run.visits += 1;
  if (run.visits > LIMITS.visits) return { failure: failure('MAX_STEPS_EXCEEDED', { limit: LIMITS.visits }), step: comingName(run, path, step.ref) };
  return outOfWork(step, run, path);
}

/** An empty meter has made the last answer meaningless. */
function outOfWork({ ref }: ReadyStep, run: RunState, path: string): Stop | undefined {
  return run.meter.left < 0 ? { failure: failure('MAX_WORK_EXCEEDED'), step: comingName(run, path, ref) } : undefined;
}

/** One turn after the other over the list as it is now; each has its own path, and `on_error` counts for each on its own. */
function* runTurns(step: ReadyStep, forEach: NonNullable<ReadyStep['forEach']>, frame: Frame, path: string): StepRun {
  const { run, scope } = frame;
  const items = itemsOf(forEach, rootsOf(run, scope));
  if (items === undefined) return yield* handle(step, frame, path, recordFailure(run, path, step.ref, failure('FOR_EACH_NOT_A_LIST')));
  for (const [k, item] of items.entries()) {
    const place = `${path}#${k}`;
    const over = visit(step, run, place);
    if (over !== undefined) return over;
    const before = setLocal(run, forEach.as, item);
    const stop = yield* runOnce(step, frame, place);
    setLocal(run, forEach.as, before);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

function* runOnce(step: ReadyStep, frame: Frame, path: string): StepRun {
  const stop = yield* attempt(step, step, frame, path);
  return stop === undefined ? undefined : yield* handle(step, frame, path, stop);
}

/** Applies `on_error` to a step that has failed. */
function* handle(step: ReadyStep, frame: Frame, path: string, stop: Stop): StepRun {
  const { mode, fallback } = step.byCode.get(stop.failure.code) ?? step.onError;
  if (stop.failure.fatal || mode === 'stop') return stop;
  if (fallback === undefined) return undefined;
  const second = yield* attempt(fallback, step, frame, `${path}!fb`);
  return second && { ...second, cause: stop.failure };
}

/** Runs a step or the fallback for it; then `save` of the step itself, over the last result that this has brought. */
function* attempt(doing: ReadyStep, step: ReadyStep, frame: Frame, path: string): StepRun {
  const { run } = frame;
  const before = run.last;
  run.last = undefined;
  const stop = (yield* perform(doing, frame, path)) ?? save(step, run, path);
  run.last ??= before;
  return stop;
}

/** Binds the parameters in the scope that the step stands in, then calls the tool or runs the group. */
function* perform(step: ReadyStep, frame: Frame, path: string): StepRun {
  const { run, scope, plan } = frame;
  const params = bindTemplate(step.params, step.template, rootsOf(run, scope), run.meter);
  if (params instanceof Failure) return recordFailure(run, path, step.ref, params);
  const definition = plan.definitionOf(step);
  if (definition.kind === 'tool') return yield* callTool(step, params, { ...frame, operations: definition.operations }, path);
  const prefix = groupPrefix(path, step);
  const depth = frame.depth + 1;
  run.maxDepth = Math.max(run.maxDepth, depth);
  return yield* runSteps(definition.steps, { ...frame, depth, prefix, scope: { context: scope.context, input: params } });
}

/** Nothing is saved from a result that is an error (which `continue` has passed by). */
function save({ save, ref }: ReadyStep, run: RunState, path: string): Stop | undefined {
  if (save === undefined || run.last?.['ok'] === false) return undefined;
  const state = applySave(save, run.last, run.state, run.meter);
  if (!(state instanceof Failure)) {
    run.state = state;
    return undefined;
  }
  const step = { stepId: `${Math.max(run.ordinal - 1, 0)}-${ref}`, path, ref };
  return traceFailure(run, step) ?? { failure: state, step };
}
