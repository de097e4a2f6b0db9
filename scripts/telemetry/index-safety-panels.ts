import { type Panel, RATE, series, stat } from './panel.ts';

/** The dashboard of the index: does it serve, if not why, and what the searches noticed of it. */
export const INDEX_SAFETY: readonly Panel[] = [
  stat(
    'Indexes that serve',
    'Indexes by which searches may leave files out at this moment.',
    'short',
    { serving: 'sum(writ_index_serving)' },
    { warn: 1, bad: 1, below: true },
  ),
  stat(
    'Staleness',
    'Time since the index that has served least lately was fit to leave files out.',
    's',
    { staleness: 'max(writ_index_staleness_seconds)' },
    { warn: 300, bad: 1800 },
  ),
  stat(
    'Changes that wait',
    'Paths that changed since the last segment was written; from 10,000 on the index is not used.',
    'short',
    { entries: 'sum(writ_index_overlay_entries)' },
    { warn: 5000, bad: 10000 },
  ),
  stat(
    'Searches with the index',
    'Part of the content searches that the index could leave files out of.',
    'percentunit',
    { 'with index': `sum(rate(writ_index_searches_total{bypass="none"}[${RATE}])) / (sum(rate(writ_index_searches_total[${RATE}])) > 0)` },
    { warn: 0.8, bad: 0.2, below: true },
  ),
  series('State of indexes', 'Indexes by state, one series each.', 'short', { '{{state}}': 'sum by (state) (writ_index_indexes)' }),
  series('Transitions', 'Changes of state per second.', 'ops', {
    '{{before}} to {{state}}': `sum by (before, state) (rate(writ_index_changes_total[${RATE}])) > 0 or sum(rate(writ_index_changes_total[${RATE}]))`,
  }),
  series('Reasons', 'Indexes that are UNCERTAIN or DISABLED now, by reason.', 'short', {
    '{{reason}}': 'sum by (reason) (writ_index_reasons) > 0 or sum(writ_index_reasons)',
  }),
  series('Build progress', 'Part of the files that the running phases have dealt with, and files by part.', 'short', {
    '{{part}}': 'sum by (part) (writ_index_phase_files)',
    '{{phase}}': 'sum by (phase) (writ_index_phases) > 0',
  }),
  series('Time of the running build', 'Time since the build that runs began; 0 when none runs.', 's', {
    '{{instance}}': 'max by (instance) (writ_index_build_elapsed_seconds)',
  }),
  series('Vetoes', 'Vetoes of the watcher per second.', 'ops', {
    '{{veto}}': `sum by (veto) (rate(writ_index_vetoes_total[${RATE}])) > 0 or sum(rate(writ_index_vetoes_total[${RATE}]))`,
  }),
  series('Maintenance by end', 'Tasks of indexes per second, by kind and end.', 'ops', {
    '{{kind}} {{end}}': `sum by (kind, end) (rate(writ_index_tasks_total[${RATE}])) > 0 or sum(rate(writ_index_tasks_total[${RATE}]))`,
  }),
  series('State as searches found it', 'Content searches per second by the state of the index at that moment.', 'ops', {
    '{{state}}': `sum by (state) (rate(writ_content_search_index_states_total[${RATE}]))`,
  }),
  series('Why no index', 'Content searches per second by why the index left nothing out; none: it did.', 'ops', {
    '{{bypass}}': `sum by (bypass) (rate(writ_index_searches_total[${RATE}])) > 0`,
  }),
  series('Doubt as searches found it', 'Content searches per second by the reason for which the index was in doubt.', 'ops', {
    '{{reason}}': `sum by (reason) (rate(writ_content_search_uncertain_total[${RATE}])) > 0`,
  }),
  series('Fallbacks', 'Content searches per second by the reason for which they fell back, and approximate passes by level.', 'ops', {
    '{{reason}}': `sum by (reason) (rate(writ_content_search_fallback_reasons_total[${RATE}]))`,
    'level {{level}}': `sum by (level) (rate(writ_content_search_fuzzy_passes_total[${RATE}]))`,
    'skipped: {{reason}}': `sum by (reason) (rate(writ_content_search_passes_skipped_total[${RATE}]))`,
  }),
  series('Candidates', 'Files of content searches per second: eligible, excluded by the index, scanned. Counted where stats are on.', 'ops', {
    '{{part}}': `sum by (part) (rate(writ_content_search_candidates_total[${RATE}]))`,
  }),
  series('Guarantee and storage', 'Content searches per second by how fresh the index is known to be, and by where it is kept.', 'ops', {
    '{{guarantee}}': `sum by (guarantee) (rate(writ_content_search_guarantees_total[${RATE}]))`,
    '{{mode}} {{fallback}}': `sum by (mode, fallback) (rate(writ_content_search_storage_total[${RATE}])) > 0`,
  }),
  series('Content search by end', 'Content searches per second by end.', 'ops', { '{{end}}': `sum by (end) (rate(writ_content_searches_total[${RATE}]))` }),
  series(
    'Content search p95',
    'The 95th percentile of the time of content searches, by backend.',
    's',
    { '{{backend}}': `histogram_quantile(0.95, sum by (backend, le) (rate(writ_content_search_seconds_bucket[${RATE}])))` },
    { warn: 5, bad: 20 },
  ),
  series('Files of the last builds', 'Files that the last build of each index read, and times per second that records could not be written.', 'short', {
    files: 'sum(writ_index_built_files)',
    'records lost': `sum(rate(writ_index_records_lost_total[${RATE}]))`,
  }),
  series(
    'Answers that were cut',
    'Lines that were cut, searches that are called truncated to be safe, and searches by version of their stats, per second.',
    'ops',
    {
      'lines cut': `sum(rate(writ_content_search_lines_cut_total[${RATE}]))`,
      'truncation assumed': `sum(rate(writ_content_search_truncations_assumed_total[${RATE}]))`,
      'stats version {{version}}': `sum by (version) (rate(writ_content_search_stats_total[${RATE}]))`,
    },
  ),
];
