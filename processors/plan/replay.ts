import { WritError } from '../../src/core/errors.ts';
import { createPlanProgress, isDone, type LinkedPlan, type PlanProgress } from '../../src/core/plan-progress.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { Bindings, PlanDone, PlanEntry, PlanLogic, PlanRecord, StepEvidence } from '../../src/core/ports/index.ts';

/** A plan's progress as far as its journal goes. It says nothing that the journal does not say, so it may be thrown away at any time. */
export interface PlanReplay {
  /** The next step, or how the plan ended. */
  next(): PlanStep | PlanDone;
  /** The step's answer, which the journal has kept. */
  take(step: PlanStep, entry: Omit<PlanEntry, 'voided'>): void;
  end: PlanProgress['end'];
  readonly stepsDone: number;
  /** The answers after the first `since`, for the kernel. */
  answers(since: number): readonly StepEvidence[];
  /** What retries have taken back from a place, oldest first. */
  voided(path: string): readonly StepEvidence[];
  /** Whether the journal still says what this replay says. */
  isCurrent(record: Pick<PlanRecord, 'entries' | 'voided'>): boolean;
  /** How many of the answers the kernel has been shown. */
  shown: number;
  /** How often the plan was parked at its present step. */
  parks: number;
}

interface ReplayDeps {
  readonly startPlan: PlanLogic['start'];
  readonly bindings: Bindings;
}

/**
 * Replays the journal.
 *
 * @throws WritError INTERNAL when the journal has an answer for a place that the plan does not reach: it is not this plan's
 */
export function replayPlan(plan: LinkedPlan, journal: readonly PlanEntry[], { startPlan, bindings }: ReplayDeps): PlanReplay {
  const progress = createPlanProgress(plan, startPlan, bindings);
  const voided = group(journal);
  const fed: StepEvidence[] = [];
  let entries = journal.length;
  const voidedEntries = journal.filter((entry) => entry.voided).length;

  const next = (): PlanStep | PlanDone => progress.next((path) => voided.get(path)?.length ?? 0);
  function feed(step: PlanStep, executorResult: string): void {
    progress.feed(step, executorResult);
    fed.push({ path: step.path, generation: step.generation, result: executorResult });
  }

  for (const entry of journal) {
    if (entry.voided) continue;
    const step = next();
    if (isDone(step) || step.path !== entry.path || step.manifest.task_id !== entry.taskId) {
      throw new WritError('INTERNAL', `REPLAY_MISMATCH: the plan journal has an answer for ${entry.path}, which the plan does not reach there`);
    }
    feed(step, entry.executorResult);
  }

  const replay: PlanReplay = {
    next,
    take(step, { executorResult }) {
      feed(step, executorResult);
      entries += 1;
      replay.parks = 0;
    },
    end: (error) => progress.end(error),
    get stepsDone() {
      return progress.stepsDone;
    },
    answers: (since) => fed.slice(since),
    voided: (path) => voided.get(path) ?? [],
    isCurrent: (record) => record.entries === entries && record.voided === voidedEntries,
    shown: 0,
    parks: 0,
  };
  return replay;
}

/** The voided answers of each place, oldest first. */
function group(journal: readonly PlanEntry[]): ReadonlyMap<string, readonly StepEvidence[]> {
  const groups = new Map<string, StepEvidence[]>();
  for (const { path, generation, executorResult, voided } of journal) {
    if (!voided) continue;
    const others = groups.get(path) ?? [];
    others.push({ path, generation, result: executorResult });
    groups.set(path, others);
  }
  return groups;
}
