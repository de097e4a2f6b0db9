import { type Panel, RATE } from './panels.ts';

/** The row of the content-search index: is it used, and if not, why. */
export const INDEX_PANELS: readonly Panel[] = [
  {
    title: 'Indexes by state',
    description:
      'Content-search indexes in each state. Only COMPLETE ones leave files out of searches, and only while their host and its watcher vouch for it (serving). Searches give the same answers in every state.',
    kind: 'timeseries',
    unit: 'short',
    queries: { '{{state}}': 'sum by (state) (writ_index_indexes)', serving: 'sum(writ_index_serving)', wanted: 'max(writ_index_wanted)' },
    thresholds: { warn: 100, bad: 1000 },
    width: 8,
  },
  {
    title: 'Searches with and without the index',
    description: 'Content searches each second by the reason for which the index left no file out; none: it was used. VETO and NO_HOST should be rare.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{bypass}}': `sum by (bypass) (rate(writ_index_searches_total[${RATE}])) > 0` },
    thresholds: { warn: 50, bad: 200 },
    width: 8,
  },
  {
    title: 'Wait for the index host',
    description: 'The time that content searches wait for the word of the index host. After 20 ms they go without the index.',
    kind: 'timeseries',
    unit: 's',
    queries: {
      p50: `histogram_quantile(0.5, sum by (le) (rate(writ_index_barrier_seconds_bucket[${RATE}])))`,
      p99: `histogram_quantile(0.99, sum by (le) (rate(writ_index_barrier_seconds_bucket[${RATE}])))`,
    },
    thresholds: { warn: 0.005, bad: 0.02 },
    width: 8,
  },
  {
    title: 'Changes that wait to be indexed',
    description: 'Paths in the overlay: every search looks at them itself. Above 10,000 the index is not used until they are worked off.',
    kind: 'timeseries',
    unit: 'short',
    queries: { '{{kind}}': 'sum by (kind) (writ_index_overlay_entries)' },
    thresholds: { warn: 2000, bad: 10_000 },
    width: 8,
  },
  {
    title: 'Doubts about indexes',
    description:
      'Vetoes of the watcher and reasons of UNCERTAIN or DISABLED, each second. Now and then is normal: a restart, a change of an ignore file. Steadily is not.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      'veto {{veto}}': `sum by (veto) (rate(writ_index_vetoes_total[${RATE}])) > 0`,
      '{{reason}}': `sum by (reason) (rate(writ_index_doubts_total[${RATE}])) > 0`,
    },
    thresholds: { warn: 0.02, bad: 0.2 },
    width: 8,
  },
  {
    title: 'Index maintenance',
    description: 'Maintenance tasks each second by their kind and their end.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      '{{kind}} {{end}}': `sum by (kind, end) (rate(writ_index_tasks_total[${RATE}])) > 0`,
    },
    thresholds: { warn: 1, bad: 10 },
    width: 8,
  },
  {
    title: 'Time of index maintenance',
    description: 'The 95th percentile of the time of maintenance tasks that ended well, by kind.',
    kind: 'timeseries',
    unit: 's',
    queries: { '{{kind}}': `histogram_quantile(0.95, sum by (kind, le) (rate(writ_index_task_seconds_bucket[${RATE}])))` },
    thresholds: { warn: 60, bad: 300 },
    width: 8,
  },
  {
    title: 'Size of indexes',
    description: 'Bytes that all indexes take, and bytes that their last builds read.',
    kind: 'timeseries',
    unit: 'bytes',
    queries: { 'on disk': 'sum(writ_index_size_bytes)', 'read by builds': 'sum(writ_index_built_bytes)' },
    thresholds: { warn: 500_000_000, bad: 1_000_000_000 },
    width: 8,
  },
  {
    title: 'Files in indexes',
    description: 'Files in the catalogs of all indexes, and files that content searches needed not read because of them, each second.',
    kind: 'timeseries',
    unit: 'short',
    queries: { catalogued: 'sum(writ_index_files)', 'left out each second': `sum(rate(writ_index_excluded_files_total[${RATE}]))` },
    thresholds: { warn: 1_000_000, bad: 10_000_000 },
    width: 8,
  },
];
