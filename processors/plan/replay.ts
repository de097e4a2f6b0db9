import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { WritError } from '../../src/core/errors.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { createPlanProgress, isDone, type LinkedPlan, type PlanProgress } from '../../src/core/plan-progress.ts';
import type { PlanStep } from '../../src/core/plan-step.ts';
import type { Bindings, PlanDone, PlanEntry, PlanJournal, PlanLogic, PlanRecord, StepEvidence } from '../../src/core/ports/index.ts';

/** A plan's progress as far as its journal goes. It says nothing that the journal does not say, so it may be thrown away at any time. */
export interface PlanReplay {
  /** The next step, or how the plan ended. */
  next(): PlanStep | PlanDone;
  /** The step's answer, which the journal has kept. */
  take(step: PlanStep, entry: Omit<PlanEntry, 'voided'>): void;
  /** The answer that was taken last, a failure when the step at hand is a retry of it. */
  readonly last: Pick<PlanEntry, 'executorResult' | 'at'> | undefined;
  /** A backoff that this process has met: of which place, and when by its own steady clock. */
  backoff: { readonly path: string; readonly since: number } | undefined;
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
function replayPlan(plan: LinkedPlan, journal: readonly PlanEntry[], { startPlan, bindings }: ReplayDeps): PlanReplay {
  const progress = createPlanProgress(plan, startPlan, bindings);
  const voided = group(journal);
  const fed: StepEvidence[] = [];
  let last: PlanReplay['last'];
  let entries = journal.length;
  const voidedEntries = journal.filter((entry) => entry.voided).length;

  const next = (): PlanStep | PlanDone => progress.next((path) => voided.get(path)?.length ?? 0);
  function feed(step: PlanStep, { executorResult, capabilityId, at }: Pick<PlanEntry, 'executorResult' | 'capabilityId' | 'at'>): void {
    progress.feed(step, executorResult, capabilityId);
    last = { executorResult, at };
    fed.push({ path: step.path, generation: step.generation, result: executorResult });
  }

  for (const entry of journal) {
    if (entry.voided) continue;
    const step = next();
    if (isDone(step) || step.path !== entry.path || step.manifest.task_id !== entry.taskId) {
      throw new WritError('INTERNAL', `REPLAY_MISMATCH: the plan journal has an answer for ${entry.path}, which the plan does not reach there`);
    }
    feed(step, entry);
  }

  const replay: PlanReplay = {
    next,
    take(step, entry) {
      feed(step, entry);
      entries += 1;
      replay.parks = 0;
    },
    get last() {
      return last;
    },
    backoff: undefined,
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

/** What is kept of plans that are parked, so that a step neither replays all before it nor hashes the envelope again. */
export interface ParkedPlans {
  replayOf(planSha256: string, envelope: JsonObject, record: PlanRecord): Promise<PlanReplay>;
  forget(planSha256: string): void;
  /** Hashes an envelope. Throws WritError INVALID_MANIFEST. */
  readonly hash: (envelope: unknown) => HashedEnvelope;
}

/** Memories of plans may be large. */
const MAX_KEPT = 2000;

export function createParkedPlans(deps: ReplayDeps & { readonly journal: Pick<PlanJournal, 'entries'> }): ParkedPlans {
  const kept = new LRUCache<string, PlanReplay>({ maxSize: MAX_KEPT, sizeCalculation: () => 1 });
  return {
    async replayOf(planSha256, envelope, record) {
      const known = kept.get(planSha256);
      kept.delete(planSha256);
      // Another process may have gone on with it.
      const replay = known?.isCurrent(record) ? known : replayPlan({ planSha256, envelope }, await deps.journal.entries(planSha256), deps);
      kept.set(planSha256, replay);
      return replay;
    },
    forget: (planSha256) => void kept.delete(planSha256),
    hash: createEnvelopeHash(),
  };
}

/** The canonical text of an envelope, and its hash. */
interface HashedEnvelope {
  readonly text: string;
  readonly planSha256: string;
}

/** Texts that are kept, in UTF-16 units: a job comes back after each of its steps, with the same envelope. */
const MAX_KEPT_TEXT = 32 * 1024 * 1024;

/**
 * Hashes envelopes, and knows those that it has seen lately: making the canonical form of a thousand steps takes
 * milliseconds, comparing two texts none.
 *
 * @throws WritError INVALID_MANIFEST for an envelope that has no canonical form
 */
function createEnvelopeHash(): (envelope: unknown) => HashedEnvelope {
  /** By their text as it came. */
  const known = new LRUCache<string, HashedEnvelope>({ maxSize: MAX_KEPT_TEXT, sizeCalculation: ({ text }, came) => came.length + text.length });
  return (envelope) => {
    const came = JSON.stringify(envelope);
    const before = known.get(came);
    if (before !== undefined) return before;
    const text = canonicalJson(envelope);
    const one = { text, planSha256: sha256Hex(text) };
    known.set(came, one);
    return one;
  };
}
