import type { PlanStepRecord } from '../../../../src/surfaces/client/index.ts';
import type { TaskEnd, World } from '../world.ts';

/** What came of a step, over all of its attempts and generations; `none`: it was not reached. */
export type StepEnd = TaskEnd['status'];

/** Codes of failures that leave it open whether the step had its effect. */
const OPEN_CODES: readonly string[] = ['TOOL_OUTCOME_UNKNOWN'];

/** The records of a step: its path, and that of each further attempt, `<path>~<n>`. */
export function recordsOf(world: World, plan: string, path: string): readonly PlanStepRecord[] {
  return world.plans.get(plan)?.steps.filter((step) => step.path === path || step.path.startsWith(`${path}~`)) ?? [];
}

export function endOfStep(world: World, plan: string, path: string): StepEnd {
  const records = recordsOf(world, plan, path);
  if (records.some(({ state }) => state === 'success')) return 'SUCCESS';
  if (records.some(({ error_code: code }) => OPEN_CODES.includes(code ?? ''))) return 'unknown';
  return records.length === 0 ? 'none' : 'FAILURE';
}
