import type { MetricRow } from './metric-row.ts';

const ROLES = ['api', 'worker'] as const;
const BACKEND = ['ugrep', 'rg', 'none'] as const;
/** From a search that touches a handful of files to the longest time limit of a request. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 300, 600] as const;

/** The part of the telemetry contract (`events.ts`) that is about the contents of files. */
export const CONTENT_SEARCH_METRICS = {
  writ_content_searches_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by their end: matched, none, truncated (more events than were asked for), timed_out, bad_args (the request is wrong), failed, rejected (too many at the same time), aborted (nobody waits any more). The backend is none when no program had to be asked.',
    labels: { backend: BACKEND, end: ['matched', 'none', 'truncated', 'timed_out', 'bad_args', 'failed', 'rejected', 'aborted'] },
    roles: ROLES,
  },
  writ_content_search_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of a content search that was answered, by backend.',
    labels: { backend: BACKEND },
    buckets: SECONDS,
    roles: ROLES,
  },
  writ_content_search_files_total: { type: 'counter', unit: 'files', help: 'Files that content searches enumerated.', labels: {}, roles: ROLES },
  writ_content_search_events_total: {
    type: 'counter',
    unit: 'lines',
    help: 'Matches and context lines that content searches answered with.',
    labels: {},
    roles: ROLES,
  },
  writ_content_search_processes_total: {
    type: 'counter',
    unit: 'processes',
    help: 'Backend processes that content searches started.',
    labels: {},
    roles: ROLES,
  },
  writ_content_search_fallbacks_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches that found nothing literally and were tried again approximately.',
    labels: {},
    roles: ROLES,
  },
  writ_content_process_losses_total: {
    type: 'counter',
    unit: 'processes',
    help: 'Processes of content searches that died, hung (a search had not ended long after its time) or could not be started; each is replaced.',
    labels: { why: ['died', 'hung', 'not-started'] },
    roles: ROLES,
  },
  writ_content_process_starts_total: {
    type: 'counter',
    unit: 'processes',
    help: 'Processes of content searches that were started, by whether the kernel confines them to the allowed roots (Landlock).',
    labels: { confined: ['yes', 'no'] },
    roles: ROLES,
  },
} as const satisfies Record<string, MetricRow>;
