import type { ContentSearchStats } from '../contracts/index.ts';
import type { ContentSearchFacts } from '../core/ports/index.ts';
import { STORAGE_FALLBACKS, UNCERTAIN_REASONS } from './content-stats-rows.ts';
import type { MetricName } from './events.ts';
import type { Metrics } from './metrics.ts';

/** Which metric repeats which field of the `stats` block (FR-LSI-STAT-02): a field without one does not compile. */
export const STATS_METRICS = {
  stats_version: 'writ_content_search_stats_total',
  backend_id: 'writ_content_searches_total',
  index_safety_state: 'writ_content_search_index_states_total',
  index_uncertain_reason: 'writ_content_search_uncertain_total',
  index_exclusion_used: 'writ_index_searches_total',
  index_bypass: 'writ_index_searches_total',
  index_guarantee: 'writ_content_search_guarantees_total',
  storage_mode: 'writ_content_search_storage_total',
  storage_fallback_reason: 'writ_content_search_storage_total',
  fallback_used: 'writ_content_search_fallbacks_total',
  fallback_reason: 'writ_content_search_fallback_reasons_total',
  fuzzy_levels_tried: 'writ_content_search_fuzzy_passes_total',
  fallback_passes_skipped: 'writ_content_search_passes_skipped_total',
  fallback_skip_reason: 'writ_content_search_passes_skipped_total',
  candidates_total: 'writ_content_search_candidates_total',
  candidates_excluded: 'writ_content_search_candidates_total',
  candidates_scanned: 'writ_content_search_candidates_total',
  lines_cut: 'writ_content_search_lines_cut_total',
  truncation_assumed: 'writ_content_search_truncations_assumed_total',
  elapsed_ms: 'writ_content_search_seconds',
} as const satisfies Record<keyof ContentSearchStats, MetricName>;

/** Counts what a search says of itself, its answer's stats being there or not. */
export function countFacts(metrics: Metrics, facts: ContentSearchFacts): void {
  metrics.inc('writ_content_search_stats_total', { version: `${facts.stats_version}` });
  metrics.inc('writ_content_search_index_states_total', { state: facts.index_safety_state });
  metrics.inc('writ_content_search_uncertain_total', { reason: known(UNCERTAIN_REASONS, facts.index_uncertain_reason) });
  metrics.inc('writ_content_search_guarantees_total', { guarantee: facts.index_guarantee });
  metrics.inc('writ_content_search_storage_total', { mode: facts.storage_mode, fallback: known(STORAGE_FALLBACKS, facts.storage_fallback_reason) });
  metrics.inc('writ_content_search_fallback_reasons_total', { reason: facts.fallback_reason ?? 'none' });
  for (const level of facts.fuzzy_levels_tried) metrics.inc('writ_content_search_fuzzy_passes_total', { level: levelLabel(level) });
  if (facts.fallback_skip_reason !== null)
    metrics.inc('writ_content_search_passes_skipped_total', { reason: facts.fallback_skip_reason }, facts.fallback_passes_skipped);
  metrics.inc('writ_content_search_lines_cut_total', {}, facts.lines_cut);
  if (facts.truncation_assumed) metrics.inc('writ_content_search_truncations_assumed_total', {});
}

/** Counts the files, of an answer that tells them. */
export function countCandidates(metrics: Metrics, stats: ContentSearchStats): void {
  metrics.inc('writ_content_search_candidates_total', { part: 'eligible' }, stats.candidates_total);
  metrics.inc('writ_content_search_candidates_total', { part: 'excluded' }, stats.candidates_excluded);
  metrics.inc('writ_content_search_candidates_total', { part: 'scanned' }, stats.candidates_scanned);
}

/** Null is `none`; what the set does not have is `other`. */
function known<T extends string>(values: readonly T[], value: string | null): T | 'none' | 'other' {
  return value === null ? 'none' : (values.find((one) => one === value) ?? 'other');
}

const LEVELS = ['1', '2', '3', '4'] as const;

function levelLabel(level: number): (typeof LEVELS)[number] {
  return LEVELS[Math.min(level, LEVELS.length) - 1] ?? '1';
}
