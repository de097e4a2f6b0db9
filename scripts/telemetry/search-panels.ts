import { type Panel, RATE } from './panels.ts';

const SEARCHES = 'capability=~"SEARCH_.*"';

/** The row of the searches: how many, how long, and what became of their processes. */
export const SEARCH_PANELS: readonly Panel[] = [
  {
    title: 'Searches',
    description: 'Searches that were answered each second, by capability and status.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{capability}} {{status}}': `sum by (capability, status) (rate(writ_tasks_finished_total{${SEARCHES}}[${RATE}]))` },
    thresholds: { warn: 100, bad: 500 },
    width: 8,
  },
  {
    title: 'Search time',
    description:
      'The 95th percentile of the time from the delivery of a search to its recorded answer. A search ends after `search.max_run_s` (30 s) at the latest.',
    kind: 'timeseries',
    unit: 's',
    queries: { '{{capability}}': `histogram_quantile(0.95, sum by (capability, le) (rate(writ_task_run_seconds_bucket{${SEARCHES}}[${RATE}])))` },
    thresholds: { warn: 5, bad: 25 },
    width: 8,
  },
  {
    title: 'Search processes ended',
    description:
      'Processes of searches that ended each second, by the reason. memory: over `search.max_memory_mb`; stopped: the time limit, a cancel or a shutdown; grown: replaced after its search; died: by itself, look at the log of the worker.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{why}}': `sum by (why) (rate(writ_search_processes_ended_total[${RATE}]))` },
    thresholds: { warn: 0.05, bad: 0.5 },
    width: 8,
  },
];
