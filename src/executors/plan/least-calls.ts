import { foreseenProblem } from './call-problem.ts';
import type { ReadyStep } from './compile-step.ts';
import type { LinkedDefinition, LinkedPlan, Operation } from './link.ts';

/**
 * How many tools a plan calls at least when it ends with SUCCESS, whatever its memory and its tools say: more than `maxSteps`, and it never can.
 * Steps with a condition, of a list, and fallbacks may not run at all, so they count as none.
 *
 * @returns a lower bound; Infinity where groups in groups are too many to count
 */
export function leastCalls({ steps, definitionOf }: LinkedPlan): number {
  const known = new Map<LinkedDefinition, number>();
  const together = (group: readonly ReadyStep[]): number => group.reduce((sum, step) => sum + ofStep(step), 0);
  const ofStep = (step: ReadyStep): number => {
    if (step.when !== undefined || step.forEach !== undefined) return 0;
    const definition = definitionOf(step);
    if (definition.kind === 'tool') return mayFail(step) && !isCertain(step, definition.operations) ? 0 : 1;
    // Where its errors are passed by, a group may end before its first call.
    if (mayFail(step)) return 0;
    const before = known.get(definition);
    if (before !== undefined) return before;
    const calls = together(definition.steps);
    known.set(definition, calls);
    return calls;
  };
  return together(steps);
}

/** Whether the tool is called, whatever comes of it: no value that is missing, and no name that its definition lacks, is in the way. */
function isCertain(step: ReadyStep, operations: ReadonlyMap<string, Operation>): boolean {
  return step.template === undefined && foreseenProblem(step, operations) === undefined;
}

/** Whether the plan goes on after an error of this step. */
function mayFail({ onError, byCode }: ReadyStep): boolean {
  return [onError, ...byCode.values()].some(({ mode }) => mode !== 'stop');
}
