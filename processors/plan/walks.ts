import type { JsonObject } from '../../src/core/json.ts';
import type { PlanRecord } from '../../src/core/ports/index.ts';
import type { PlanDeps } from './deps.ts';
import { createEnvelopes } from './envelopes.ts';
import { createWalk, type Walk } from './walk.ts';

/** Walks of plans that are parked, so that each step does not replay all before it. */
export interface Walks {
  of(planSha256: string, envelope: JsonObject, record: PlanRecord): Promise<Walk>;
  forget(planSha256: string): void;
  /** Hashes an envelope. Throws WritError INVALID_MANIFEST. */
  readonly envelopes: ReturnType<typeof createEnvelopes>;
}

/** Memories of plans may be large. */
const MAX_KEPT = 2000;

export function createWalks(deps: Pick<PlanDeps, 'journal' | 'logic' | 'bindings'>): Walks {
  /** In the order of their last use. */
  const kept = new Map<string, Walk>();
  return {
    async of(planSha256, envelope, record) {
      const known = kept.get(planSha256);
      kept.delete(planSha256);
      // Another process may have gone on with it.
      const walk = known?.isCurrent(record) ? known : createWalk({ planSha256, envelope }, await deps.journal.entries(planSha256), deps);
      kept.set(planSha256, walk);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return walk;
    },
    forget: (planSha256) => void kept.delete(planSha256),
    envelopes: createEnvelopes(),
  };
}
