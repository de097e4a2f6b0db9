import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/hash.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import type { PlanDeps } from './context.ts';
import { type PlanReplay, replayPlan } from './replay.ts';

/** What is kept of plans that are parked, so that a step neither replays all before it nor hashes the envelope again. */
export interface ParkedPlans {
  replayOf(planSha256: string, envelope: JsonObject, record: PlanRecord): Promise<PlanReplay>;
  forget(planSha256: string): void;
  /** Hashes an envelope. Throws WritError INVALID_MANIFEST. */
  readonly hash: (envelope: unknown) => HashedEnvelope;
}

/** Memories of plans may be large. */
const MAX_KEPT = 2000;

export function createParkedPlans(deps: Pick<PlanDeps, 'journal' | 'startPlan' | 'bindings'>): ParkedPlans {
  const kept = new LRUCache<string, PlanReplay>({ max: MAX_KEPT });
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
