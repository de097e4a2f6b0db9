import { canonicalJson } from '../../core/canonical-json.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { JsonObject } from '../../core/json.ts';
import type { PlanDone, PlanRun, PlanState } from '../../core/ports/plan.ts';
import { errorOf, Failure } from './codes.ts';
import { withoutLocals } from './for-each.ts';
import { type LinkedPlan, linkSteps } from './link.ts';
import { type Identity, type Normalized, readEnvelope } from './read-envelope.ts';
import { nameOf, readRegistry } from './registry.ts';
import { filesOf } from './registry-files.ts';
import { runPlan } from './run.ts';
import { memoryOf, newRunState, type RunState, type Stop } from './run-state.ts';

/**
 * Starts a plan: validates and links the envelope, then stands at its first call, or at its end. Pure: the same envelope and answers lead to
 * the same states. Input that is no plan ends with an error envelope; nothing throws.
 */
export function startPlan(envelope: unknown): PlanRun {
  const read = readEnvelope(envelope);
  if (!read.ok) return ended(read.identity, read.failure);
  const plan = linkSteps(read.envelope, readRegistry(read.envelope.payload));
  return plan instanceof Failure ? ended(read.envelope, plan) : started(read.envelope, plan);
}

function started(envelope: Normalized, plan: LinkedPlan): PlanRun {
  const run = newRunState(envelope.memory, envelope.options.debug === true);
  const steps = runPlan(envelope, plan, run);
  const debugged = envelope.options.debug === true ? plan : undefined;
  const stateOf = ({ done, value }: ReturnType<typeof steps.next>): PlanState =>
    done === true ? finish(envelope, run, value && errorOfStop(value), value?.endedBy, debugged) : value;
  let current = stateOf(steps.next());
  return {
    get current() {
      return current;
    },
    get stepsDone() {
      return run.answers;
    },
    feed(result) {
      if (current.kind === 'call') current = stateOf(steps.next(result));
      return current;
    },
    end(error) {
      if (current.kind === 'done') return current;
      const ended = finish(envelope, run, errorOf(new Failure(error.code, error.message, {}, true)), undefined, debugged);
      current = ended;
      return ended;
    },
  };
}

/** Nothing was run: no results, and the memory that came in. */
function ended(identity: Identity, failed: Failure): PlanRun {
  const current = done(identity.header, { results: [], memory: identity.memory }, errorOf(failed), undefined);
  return { current, stepsDone: 0, feed: () => current, end: () => current };
}

/** @param debug the plan, when trace and debug were asked for */
function finish({ header }: Identity, run: RunState, error: PlanErrorJson | undefined, endedBy: string | undefined, debug: LinkedPlan | undefined): PlanDone {
  const output = { results: Object.freeze(run.results) as JsonObject[], memory: memoryOf(withoutLocals(run)) };
  const traced = debug && { trace: Object.freeze(run.trace ?? []) as JsonObject[], debug: debugOf(run, debug) };
  return done(header, { ...output, ...traced }, error, endedBy);
}

type PlanErrorJson = ReturnType<typeof errorOf>;

function errorOfStop({ failure: failed, step, cause }: Stop): PlanErrorJson {
  return errorOf(failed, { step: { ...step }, ...(cause && { cause: errorOf(cause) }) });
}

function debugOf(run: RunState, plan: LinkedPlan): JsonObject {
  const sources = Object.fromEntries(plan.definitions.map(({ category, ref, source }) => [nameOf(category, ref), source]));
  const sha256 = sha256Hex(canonicalJson(filesOf(plan.definitions)));
  return Object.freeze({ stepCount: run.calls, maxDepthReached: run.maxDepth, registry: Object.freeze({ sha256, sources: Object.freeze(sources) }) });
}

function done(header: JsonObject, output: JsonObject, error: PlanErrorJson | undefined, endedBy: string | undefined): PlanDone {
  const envelope = Object.freeze({ header, output: Object.freeze(output), error: error ?? null });
  return Object.freeze({ kind: 'done', envelope, error: error === undefined ? null : { code: error.code, message: error.message }, endedBy });
}
