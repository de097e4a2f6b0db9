import { METRICS } from '../../src/observability/events.ts';

/** One panel of a dashboard, as short as it can be said. Durations are seconds, units are Grafana's names. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly kind: 'timeseries' | 'stat';
  readonly unit: 'ops' | 'percentunit' | 's' | 'short' | 'bytes';
  /** Legend → PromQL. */
  readonly queries: Readonly<Record<string, string>>;
  /** Values from which the panel turns yellow and red; `below`: it is low values that are bad. */
  readonly thresholds: { readonly warn: number; readonly bad: number; readonly below?: true };
  /** Grid columns of 24. */
  readonly width: 6 | 8 | 12;
}

/** The window of a rate, as Grafana fills it in. */
export const RATE = '$__rate_interval';

const quantiles = (metric: string): Record<string, string> =>
  Object.fromEntries([50, 95, 99].map((p) => [`p${p}`, `histogram_quantile(${p / 100}, sum by (le) (rate(${metric}_bucket[${RATE}])))`]));

const percentileOf = (title: string, metric: keyof typeof METRICS, thresholds: Panel['thresholds']): Panel => ({
  title,
  description: METRICS[metric].help,
  kind: 'timeseries',
  unit: 's',
  queries: quantiles(metric),
  thresholds,
  width: 8,
});

/** The first dashboard: is it working, how fast, and if not, why. */
export const OVERVIEW: readonly Panel[] = [
  {
    title: 'Success ratio',
    description: 'Part of the answered tasks that succeeded. A low value with INVALID_LEASE or LEASE_EXPIRED is a matter of producers, not of this host.',
    kind: 'stat',
    unit: 'percentunit',
    queries: {
      'success ratio': `sum(rate(writ_tasks_finished_total{status="success"}[${RATE}])) / (sum(rate(writ_tasks_finished_total[${RATE}])) > 0)`,
    },
    thresholds: { warn: 0.99, bad: 0.9, below: true },
    width: 6,
  },
  {
    title: 'Oldest waiting task',
    description: 'Age of the job that has waited longest in each queue. It grows when workers are too few, stopped or deaf.',
    kind: 'stat',
    unit: 's',
    queries: { '{{queue}}': 'max by (queue) (writ_queue_oldest_waiting_age_seconds)' },
    thresholds: { warn: 10, bad: 60 },
    width: 6,
  },
  {
    title: 'Workers alive',
    description: 'Worker processes of this data directory whose heartbeat is fresh. None: tasks wait and nothing is lost.',
    kind: 'stat',
    unit: 'short',
    queries: { workers: 'max(writ_workers_alive)' },
    thresholds: { warn: 1, bad: 1, below: true },
    width: 6,
  },
  {
    title: 'Figures are read',
    description: 'Whether the API could read queues and Redis at the last scrape; 0: the panels about queues and Redis have gaps.',
    kind: 'stat',
    unit: 'short',
    queries: { 'exporter up': 'min(writ_exporter_up)' },
    thresholds: { warn: 1, bad: 1, below: true },
    width: 6,
  },
  {
    title: 'Throughput by capability',
    description: 'Tasks that got a new answer each second.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{capability}}': `sum by (capability) (rate(writ_tasks_finished_total[${RATE}]))` },
    thresholds: { warn: 1000, bad: 5000 },
    width: 12,
  },
  {
    title: 'Failures by error code',
    description: 'Answers that were no SUCCESS each second, by their code.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{error_code}}': `sum by (error_code) (rate(writ_tasks_finished_total{status!="success"}[${RATE}]))` },
    thresholds: { warn: 1, bad: 10 },
    width: 12,
  },
  {
    title: 'Jobs by state',
    description: 'Jobs of each queue. Completed ones are kept for an hour and at most a thousand, failed ones for a week.',
    kind: 'timeseries',
    unit: 'short',
    queries: { '{{queue}} {{state}}': 'max by (queue, state) (writ_queue_jobs)' },
    thresholds: { warn: 10_000, bad: 100_000 },
    width: 12,
  },
  {
    title: 'Submissions by outcome',
    description: 'Tasks that were pushed through the API or the board each second, by what became of the push.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{surface}} {{outcome}}': `sum by (surface, outcome) (rate(writ_tasks_submitted_total[${RATE}]))` },
    thresholds: { warn: 1000, bad: 5000 },
    width: 12,
  },
  percentileOf('Wait', 'writ_task_wait_seconds', { warn: 1, bad: 10 }),
  percentileOf('Run', 'writ_task_run_seconds', { warn: 1, bad: 30 }),
  percentileOf('End to end', 'writ_task_end_to_end_seconds', { warn: 2, bad: 60 }),
  {
    title: 'Worker slots in use',
    description: 'Part of the slots of all workers that run a task. Near 1 for long: more workers or more concurrency would help, or the disk is slow.',
    kind: 'timeseries',
    unit: 'percentunit',
    queries: { 'in use': 'sum(writ_worker_busy_slots) / sum(writ_worker_slots)' },
    thresholds: { warn: 0.8, bad: 0.95 },
    width: 8,
  },
  {
    title: 'Lease refusals',
    description: 'Tasks that were refused for their lease each second. INVALID_LEASE in number is a forger or a wrong key.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{error_code}}': `sum by (error_code) (rate(writ_lease_refusals_total[${RATE}]))` },
    thresholds: { warn: 0.1, bad: 1 },
    width: 8,
  },
  {
    title: 'Ledger answers',
    description: 'What the ledger answered to claims each second. takeover: a worker was lost; finished: a task came again; lost: Redis forgot the ledger.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{answer}}': `sum by (answer) (rate(writ_ledger_answers_total[${RATE}]))` },
    thresholds: { warn: 1000, bad: 5000 },
    width: 8,
  },
  {
    title: 'Recoveries by decision',
    description: 'Open attempts of lost workers, by what was decided. incident: a person should look at the file.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{decision}}': `sum by (decision) (rate(writ_recoveries_total[${RATE}]))` },
    thresholds: { warn: 0.01, bad: 1 },
    width: 8,
  },
  percentileOf('Journal commit', 'writ_journal_commit_seconds', { warn: 0.05, bad: 0.5 }),
  {
    title: 'Redis memory',
    description: 'Memory that Redis uses, and its limit. At 90 % of the limit the API refuses new work; nothing is ever evicted.',
    kind: 'timeseries',
    unit: 'bytes',
    queries: { used: 'max(writ_redis_memory_used_bytes)', limit: 'max(writ_redis_memory_limit_bytes) > 0' },
    thresholds: { warn: 400 * 1024 * 1024, bad: 480 * 1024 * 1024 },
    width: 8,
  },
  {
    title: 'API requests',
    description: 'Requests each second by route and class of the status. Many 4xx of one route: a client of an old version, or a key without the role.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{route}} {{status_class}}': `sum by (route, status_class) (rate(writ_http_requests_total[${RATE}]))` },
    thresholds: { warn: 1000, bad: 5000 },
    width: 8,
  },
  {
    title: 'API time',
    description: 'The 95th percentile of the time of a request by route. Event streams, which stay open, are left out; a wait that was asked for counts.',
    kind: 'timeseries',
    unit: 's',
    queries: { '{{route}}': `histogram_quantile(0.95, sum by (route, le) (rate(writ_http_request_seconds_bucket{route!="/v1/events"}[${RATE}])))` },
    thresholds: { warn: 1, bad: 10 },
    width: 8,
  },
  {
    title: 'API connections',
    description: 'Open connections and event streams. Near `http.max_connections` further clients are turned away.',
    kind: 'timeseries',
    unit: 'short',
    queries: { connections: 'sum(writ_http_connections)', 'event streams': 'sum(writ_http_event_streams)' },
    thresholds: { warn: 10_000, bad: 18_000 },
    width: 8,
  },
];
