import type { ContentSearchStats } from '../../contracts/index.ts';
import type { ContentSearchFacts, FreshnessGuarantee, IndexReason, IndexState } from '../../core/ports/index.ts';
import type { IndexBypass } from '../ngram-index/query/query-plan.ts';
import type { FallbackReport } from './fallback.ts';

/** What the stats say of the index; `bypass` null: it was used. */
export interface IndexFacts {
  readonly state: IndexState;
  readonly reason: IndexReason | null;
  readonly bypass: IndexBypass | null;
  readonly guarantee: FreshnessGuarantee;
  readonly storageMode: 'memory' | 'sqlite' | 'none';
  readonly storageFallback: string | null;
}

/** What a search knows of itself. */
interface StatsFacts {
  readonly backendId: string;
  readonly fallback: FallbackReport;
  readonly index: IndexFacts;
  readonly linesCut: number;
  readonly truncationAssumed: boolean;
}

/** What the stats are made of. */
export interface StatsInput extends StatsFacts {
  /** Eligible files, those included that the index left out. */
  readonly candidatesTotal: number;
  readonly candidatesExcluded: number;
  readonly candidatesScanned: number;
  readonly elapsedMs: number;
}

/** Of each field: whether equal inputs give equal values, or time and load have a say (FR-LSI-STAT-03). */
export const STATS_CLASSES = {
  stats_version: 'deterministic',
  backend_id: 'deterministic',
  index_safety_state: 'deterministic',
  index_uncertain_reason: 'deterministic',
  index_exclusion_used: 'deterministic',
  index_bypass: 'deterministic',
  index_guarantee: 'deterministic',
  storage_mode: 'deterministic',
  storage_fallback_reason: 'deterministic',
  fallback_used: 'deterministic',
  fallback_reason: 'deterministic',
  fuzzy_levels_tried: 'deterministic',
  fallback_passes_skipped: 'deterministic',
  fallback_skip_reason: 'deterministic',
  candidates_total: 'deterministic',
  candidates_excluded: 'deterministic',
  candidates_scanned: 'deterministic',
  lines_cut: 'deterministic',
  truncation_assumed: 'deterministic',
  elapsed_ms: 'best_effort',
} satisfies Record<keyof ContentSearchStats, 'deterministic' | 'best_effort'>;

/** What is said of the index where there is none: DISABLED, nothing stored, nothing excluded. */
export const NO_INDEX_FACTS: IndexFacts = {
  state: 'DISABLED',
  reason: null,
  bypass: 'INDEX_OFF',
  guarantee: 'none',
  storageMode: 'none',
  storageFallback: null,
};

/** The stats of a search (local-search-index.md 10.2). */
export function statsOf(input: StatsInput): ContentSearchStats {
  return {
    ...factsOf(input),
    candidates_total: input.candidatesTotal,
    candidates_excluded: input.candidatesExcluded,
    candidates_scanned: input.candidatesScanned,
    elapsed_ms: input.elapsedMs,
  };
}

/** What of the stats is known without counting files. */
export function factsOf({ backendId, fallback, index, linesCut, truncationAssumed }: StatsFacts): ContentSearchFacts {
  const levels = fallback.levelsTried;
  return {
    stats_version: 1,
    backend_id: backendId,
    index_safety_state: index.state,
    index_uncertain_reason: index.reason,
    index_exclusion_used: index.bypass === null,
    index_bypass: index.bypass,
    index_guarantee: index.guarantee,
    storage_mode: index.storageMode,
    storage_fallback_reason: index.storageFallback,
    fallback_used: levels.length > 0,
    fallback_reason: levels.length > 0 ? 'LITERAL_NO_MATCHES' : bypassText(index),
    fuzzy_levels_tried: [...levels],
    fallback_passes_skipped: fallback.passesSkipped,
    fallback_skip_reason: fallback.skipReason,
    lines_cut: linesCut,
    truncation_assumed: truncationAssumed,
  };
}

/** T22: why no index was used, where that is the index's doing and not the request's. */
function bypassText({ bypass, state }: IndexFacts): ContentSearchStats['fallback_reason'] {
  if (bypass === null) return null;
  if (bypass === 'INDEX_OFF') return 'INDEX_OFF';
  if (bypass === 'BACKEND') return 'CAPABILITY_MISSING';
  return state !== 'COMPLETE' || UNAVAILABLE.has(bypass) ? 'INDEX_UNAVAILABLE' : null;
}

const UNAVAILABLE: ReadonlySet<IndexBypass> = new Set<IndexBypass>(['NO_HOST', 'VETO', 'OTHER_READER', 'SEGMENTS', 'CORRUPT', 'OVERLAY', 'BUDGET']);
