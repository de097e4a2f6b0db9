import { FALLBACK_REASONS, FALLBACK_SKIP_REASONS, INDEX_REASONS, INDEX_STATES } from '../contracts/index.ts';
import type { MetricRow } from './metric-row.ts';

const ROLES = ['api', 'worker'] as const;

/** Why indexes are not kept on disk; what a later version names is `other`. */
export const STORAGE_FALLBACKS = [
  'none',
  'NOT_ABSOLUTE',
  'INSIDE_SEARCHED_TREE',
  'DENIED_BY_POLICY',
  'PERMISSION_DENIED',
  'NOT_PRIVATE',
  'NOT_A_DIRECTORY',
  'other',
] as const;
export const UNCERTAIN_REASONS = ['none', ...INDEX_REASONS, 'other'] as const;

/**
 * The part of the telemetry contract that repeats the `stats` block of content searches (local-search-index.md 10.2): what
 * the searches were told, whereas `writ_index_indexes` and its neighbours are what the index host says of itself.
 */
export const CONTENT_STATS_METRICS = {
  writ_content_search_stats_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by the version of the `stats` block that they have, or would have.',
    labels: { version: ['1'] },
    roles: ROLES,
  },
  writ_content_search_index_states_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by the state in which they found the index; DISABLED where there is none.',
    labels: { state: INDEX_STATES },
    roles: ROLES,
  },
  writ_content_search_uncertain_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by the reason for which they found the index UNCERTAIN or DISABLED; none: it was neither, or is not wanted.',
    labels: { reason: UNCERTAIN_REASONS },
    roles: ROLES,
  },
  writ_content_search_guarantees_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by how fresh the index is known to be: by events of the file system, by looking at each file, or not at all.',
    labels: { guarantee: ['inotify', 'stat', 'none'] },
    roles: ROLES,
  },
  writ_content_search_storage_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by where the index is kept, and why not on disk although the settings want it there.',
    labels: { mode: ['memory', 'sqlite', 'none'], fallback: STORAGE_FALLBACKS },
    roles: ROLES,
  },
  writ_content_search_fallback_reasons_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by `fallback_reason`; none: nothing fell back.',
    labels: { reason: ['none', ...FALLBACK_REASONS] },
    roles: ROLES,
  },
  writ_content_search_fuzzy_passes_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Approximate passes of content searches by level, the number of edits that are forgiven.',
    labels: { level: ['1', '2', '3', '4'] },
    roles: ROLES,
  },
  writ_content_search_passes_skipped_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Approximate passes that content searches did without, by reason.',
    labels: { reason: FALLBACK_SKIP_REASONS },
    roles: ROLES,
  },
  writ_content_search_candidates_total: {
    type: 'counter',
    unit: 'files',
    help: 'Files of content searches: eligible, excluded by the index, and scanned; only searches with stats are counted.',
    labels: { part: ['eligible', 'excluded', 'scanned'] },
    roles: ROLES,
  },
  writ_content_search_lines_cut_total: {
    type: 'counter',
    unit: 'lines',
    help: 'Lines of answers that were longer than a line may be.',
    labels: {},
    roles: ROLES,
  },
  writ_content_search_truncations_assumed_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches that are called truncated only because nobody could look one event further.',
    labels: {},
    roles: ROLES,
  },
} as const satisfies Record<string, MetricRow>;
