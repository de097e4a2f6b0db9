import type { IndexSafety } from '../../../core/ports/index.ts';

/** What must hold beside the state (FR-LSI-SAFE-02). */
export interface ExclusionFacts {
  /** The record of the key, after every trigger that is known. */
  readonly safety: IndexSafety;
  /** Whether the key is the one that this request and these settings ask for. */
  readonly keyMatches: boolean;
  /** Whether what the strategy leaves out is proved to hold no match. */
  readonly strategyProven: boolean;
  /** Whether the index host answered its barrier, and without a veto. */
  readonly barrierHealthy: boolean;
}

/** Why nothing is left out; the first that applies. */
export type ExclusionVeto = 'NOT_COMPLETE' | 'KEY_DIFFERS' | 'STRATEGY_UNPROVEN' | 'BARRIER';

/** P3: whether this request may leave files out by the index. `undefined`: it may. */
export function exclusionVeto({ safety, keyMatches, strategyProven, barrierHealthy }: ExclusionFacts): ExclusionVeto | undefined {
  if (safety.state !== 'COMPLETE') return 'NOT_COMPLETE';
  if (!keyMatches) return 'KEY_DIFFERS';
  if (!strategyProven) return 'STRATEGY_UNPROVEN';
  return barrierHealthy ? undefined : 'BARRIER';
}
