import { type Panel, RATE } from './panel.ts';

const SEARCHES = 'capability=~"SEARCH_.*|CONTENT_SEARCH"';

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
  {
    title: 'Content searches',
    description:
      'Searches in the contents of files each second, over HTTP and from the queue, by their end. rejected: more at the same time than `tools.search.max_concurrent`; timed_out: ended by their own time limit with what they had.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{end}}': `sum by (end) (rate(writ_content_searches_total[${RATE}]))` },
    thresholds: { warn: 50, bad: 200 },
    width: 8,
  },
  {
    title: 'Content search time',
    description: 'The 95th percentile of the time of content searches that were answered, by backend; none: no file had to be searched.',
    kind: 'timeseries',
    unit: 's',
    queries: { '{{backend}}': `histogram_quantile(0.95, sum by (backend, le) (rate(writ_content_search_seconds_bucket[${RATE}])))` },
    thresholds: { warn: 2, bad: 15 },
    width: 8,
  },
  {
    title: 'Files and lines of content searches',
    description: 'Files that content searches enumerated, lines that they answered with, and backend processes that they started, each second.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      files: `sum(rate(writ_content_search_files_total[${RATE}]))`,
      lines: `sum(rate(writ_content_search_events_total[${RATE}]))`,
      processes: `sum(rate(writ_content_search_processes_total[${RATE}]))`,
      fallbacks: `sum(rate(writ_content_search_fallbacks_total[${RATE}]))`,
    },
    thresholds: { warn: 500_000, bad: 5_000_000 },
    width: 8,
  },
  {
    title: 'Processes of content searches lost',
    description:
      'Processes that died, hung or could not be started, each second; their searches answered ExecutionFailed. unconfined: started on a kernel without Landlock. Look at the log of the role, and at `writ doctor`.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      '{{why}}': `sum by (why) (rate(writ_content_process_losses_total[${RATE}]))`,
      unconfined: `sum(rate(writ_content_process_starts_total{confined="no"}[${RATE}]))`,
    },
    thresholds: { warn: 0.01, bad: 0.1 },
    width: 8,
  },
];
