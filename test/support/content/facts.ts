import type { ContentSearchFacts } from '../../../src/core/ports/index.ts';

/** What a search says of itself where there is no index. */
export const NO_INDEX_SEARCH: ContentSearchFacts = {
  stats_version: 1,
  backend_id: 'ugrep@7',
  index_safety_state: 'DISABLED',
  index_uncertain_reason: null,
  index_exclusion_used: false,
  index_bypass: 'INDEX_OFF',
  index_guarantee: 'none',
  storage_mode: 'none',
  storage_fallback_reason: null,
  fallback_used: false,
  fallback_reason: 'INDEX_OFF',
  fuzzy_levels_tried: [],
  fallback_passes_skipped: 0,
  fallback_skip_reason: null,
  lines_cut: 0,
  truncation_assumed: false,
};
