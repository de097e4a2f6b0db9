import type { ContentSearchStats } from '../contracts/index.ts';
import type { FallbackReport } from './fallback.ts';

/** What the search has counted. */
export interface Counted {
  readonly backendId: string;
  readonly fallback: FallbackReport;
  readonly candidatesTotal: number;
  readonly candidatesScanned: number;
  readonly linesCut: number;
  readonly truncationAssumed: boolean;
  readonly elapsedMs: number;
}

/** Of each field: whether equal inputs give equal values, or time and load have a say (FR-LSI-STAT-03). */
export const STATS_CLASSES = {
  stats_version: 'deterministic',
  backend_id: 'deterministic',
  index_safety_state: 'deterministic',
  index_uncertain_reason: 'deterministic',
  index_exclusion_used: 'deterministic',
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

/** The stats of a search without an index (local-search-index.md 10.2): DISABLED, nothing stored, nothing excluded. */
export function statsOf(counted: Counted): ContentSearchStats {
  const { fallback } = counted;
  return {
    stats_version: 1,
    backend_id: counted.backendId,
    index_safety_state: 'DISABLED',
    index_uncertain_reason: null,
    index_exclusion_used: false,
    storage_mode: 'none',
    storage_fallback_reason: null,
    fallback_used: fallback.levelsTried.length > 0,
    fallback_reason: fallback.levelsTried.length > 0 ? 'LITERAL_NO_MATCHES' : 'INDEX_OFF',
    fuzzy_levels_tried: [...fallback.levelsTried],
    fallback_passes_skipped: fallback.passesSkipped,
    fallback_skip_reason: fallback.skipReason,
    candidates_total: counted.candidatesTotal,
    candidates_excluded: 0,
    candidates_scanned: counted.candidatesScanned,
    lines_cut: counted.linesCut,
    truncation_assumed: counted.truncationAssumed,
    elapsed_ms: counted.elapsedMs,
  };
}
