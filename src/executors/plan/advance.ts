import type { PlanRun, PlanState } from '../../core/ports/plan.ts';
import { errorOf, failure } from './codes.ts';
import { startPlan } from './start-plan.ts';

/** Answers that tools have given, by the path of their step. */
export type PlanJournal = ReadonlyMap<string, unknown>;

/** Where a plan stands after all that its journal knows. */
export function advance(envelope: unknown, journal: PlanJournal): PlanState {
  return replay(envelope, journal).run.current;
}

/**
 * As `advance`, with the run to go on with, and the entries that the plan has not asked for. A plan that is done without asking for one of them
 * is not the plan that the journal was written for: `mismatch`.
 */
export function replay(
  envelope: unknown,
  journal: PlanJournal,
): { readonly run: PlanRun; readonly unreached: readonly string[]; readonly mismatch: ReturnType<typeof errorOf> | undefined } {
  const run = startPlan(envelope);
  const unreached = new Set(journal.keys());
  for (let state = run.current; state.kind === 'call' && unreached.delete(state.path); ) state = run.feed(journal.get(state.path));
  const paths = [...unreached];
  const mismatch = run.current.kind === 'done' && paths.length > 0 ? errorOf(failure('REPLAY_MISMATCH', { unreached: paths.slice(0, 50) })) : undefined;
  return { run, unreached: paths, mismatch };
}
