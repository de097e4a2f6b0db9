import { WritError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import { createPlanTrack, isDone, type PlanTrack } from '../../src/core/plan-track.ts';
import type { PlanDone, PlanEntry, PlanRecord, StepEvidence } from '../../src/core/ports/index.ts';
import type { PlanDeps } from './deps.ts';

/** A plan as far as its journal goes. It says nothing that the journal does not say, so it may be thrown away at any time. */
export interface Walk {
  /** The next step, or how the plan ended. */
  next(): PlanStep | PlanDone;
  /** The step's answer, which the journal has kept. */
  take(step: PlanStep, entry: Omit<PlanEntry, 'voided'>): void;
  end: PlanTrack['end'];
  readonly stepsDone: number;
  /** The answers after the first `since`, for the kernel. */
  answers(since: number): readonly StepEvidence[];
  /** What retries have taken back from a place, oldest first. */
  voided(path: string): readonly StepEvidence[];
  /** Whether the journal still says what this walk says. */
  isCurrent(record: Pick<PlanRecord, 'entries' | 'voided'>): boolean;
  /** How many of the answers the kernel has been shown. */
  shown: number;
  /** How often the plan was parked at its present step. */
  parks: number;
}

export interface WalkedPlan {
  readonly planSha256: string;
  readonly envelope: JsonObject;
}

/**
 * Replays the journal.
 *
 * @throws WritError INTERNAL when the journal has an answer for a place that the plan does not reach: it is not this plan's
 */
export function createWalk(plan: WalkedPlan, journal: readonly PlanEntry[], { logic, bindings }: Pick<PlanDeps, 'logic' | 'bindings'>): Walk {
  const track = createPlanTrack(plan, logic, bindings);
  const voided = group(journal);
  const fed: StepEvidence[] = [];
  let entries = journal.length;
  const voidedEntries = journal.filter((entry) => entry.voided).length;

  const next = (): PlanStep | PlanDone => track.next((path) => voided.get(path)?.length ?? 0);
  function feed(step: PlanStep, executorResult: string): void {
    track.feed(step, executorResult);
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

  const walk: Walk = {
    next,
    take(step, { executorResult }) {
      feed(step, executorResult);
      entries += 1;
      walk.parks = 0;
    },
    end: (error) => track.end(error),
    get stepsDone() {
      return track.stepsDone;
    },
    answers: (since) => fed.slice(since),
    voided: (path) => voided.get(path) ?? [],
    isCurrent: (record) => record.entries === entries && record.voided === voidedEntries,
    shown: 0,
    parks: 0,
  };
  return walk;
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
