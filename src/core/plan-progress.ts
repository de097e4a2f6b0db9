import type { JsonObject } from './json.ts';
import { type PlanStep, stepOf, toolResultOf } from './plan-step.ts';
import type { Bindings, PlanDone, PlanLogic } from './ports/plan.ts';

/** A plan's run with its calls as tasks: how far it is for the plan role, and for the kernel after it. */
export interface PlanProgress {
  /** Where the plan stands: the next step under this generation of its place, or how it ended. */
  next(generationOf: (path: string) => number): PlanStep | PlanDone;
  /** The executor's answer to the step that `next` has named, signed for this capability; its signature was verified by the caller. */
  feed(step: PlanStep, executorResult: string, capabilityId: string | undefined): void;
  /** Ends the plan where it stands. */
  end(error: { readonly code: string; readonly message: string }): PlanDone;
  /** How many answers were fed. */
  readonly fed: number;
  readonly stepsDone: number;
}

export interface LinkedPlan {
  readonly planSha256: string;
  readonly envelope: JsonObject;
}

export function createPlanProgress({ planSha256, envelope }: LinkedPlan, startPlan: PlanLogic['start'], bindings: Bindings): PlanProgress {
  const run = startPlan(envelope);
  let fed = 0;
  /** Task of the first attempt at the step that was answered last. */
  let first: string | undefined;
  return {
    next(generationOf) {
      const { current } = run;
      return current.kind === 'done' ? current : stepOf(current, planSha256, generationOf(current.path), bindings, first);
    },
    feed(step, executorResult, capabilityId) {
      run.feed(toolResultOf(step, executorResult, capabilityId));
      if (step.waitMs === undefined) first = step.manifest.task_id;
      fed += 1;
    },
    end: (error) => run.end(error),
    get fed() {
      return fed;
    },
    get stepsDone() {
      return run.stepsDone;
    },
  };
}

export function isDone(state: PlanStep | PlanDone): state is PlanDone {
  return 'kind' in state;
}
