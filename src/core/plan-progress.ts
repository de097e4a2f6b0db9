import type { JsonObject } from './json.ts';
import { type PlanStep, stepOf, toolResultOf } from './plan-step.ts';
import type { Bindings, PlanDone, PlanLogic } from './ports/plan.ts';

/** A plan beside the tasks that its steps are: what the driver walks, and the kernel after it. */
export interface PlanTrack {
  /** Where the plan stands: the next step under this generation of its place, or how it ended. */
  next(generationOf: (path: string) => number): PlanStep | PlanDone;
  /** The executor's answer to the step that `next` has named; its signature was verified by the caller. */
  feed(step: PlanStep, executorResult: string): void;
  /** Ends the plan where it stands. */
  end(error: { readonly code: string; readonly message: string }): PlanDone;
  /** How many answers were fed. */
  readonly fed: number;
  readonly stepsDone: number;
}

export interface TrackedPlan {
  readonly planSha256: string;
  readonly envelope: JsonObject;
}

export function createPlanTrack({ planSha256, envelope }: TrackedPlan, logic: PlanLogic, bindings: Bindings): PlanTrack {
  const run = logic.start(envelope);
  let fed = 0;
  return {
    next(generationOf) {
      const { current } = run;
      return current.kind === 'done' ? current : stepOf(current, planSha256, generationOf(current.path), bindings);
    },
    feed(step, executorResult) {
      run.feed(toolResultOf(step, executorResult));
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
