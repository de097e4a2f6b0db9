import { type Panel, RATE, series, stat } from './panel.ts';

/** The dashboard of queues and workers: what waits, who works, and how it ends. */
export const QUEUES: readonly Panel[] = [
  stat(
    'Oldest waiting job',
    'Age of the job that has waited longest. It grows by a second a second when nobody takes anything.',
    's',
    { '{{queue}}': 'max by (queue) (writ_queue_oldest_waiting_age_seconds{queue=~"$queue"})' },
    { warn: 60, bad: 300 },
  ),
  stat(
    'Waiting jobs',
    'Jobs that a worker could take now.',
    'short',
    { waiting: 'sum(max by (queue) (writ_queue_jobs{queue=~"$queue", state="waiting"}))' },
    { warn: 1000, bad: 100000 },
  ),
  stat(
    'Deaf workers',
    'Queues to which a worker has gone deaf: jobs wait, slots are free, and it takes none. Restart it.',
    'short',
    { deaf: 'sum(writ_worker_deaf{queue=~"$queue"})' },
    { warn: 1, bad: 1 },
  ),
  stat(
    'Revocation log damaged',
    'Workers that run nothing new, because the published revocation log is damaged.',
    'short',
    { damaged: 'sum(writ_revocations_damaged)' },
    { warn: 1, bad: 1 },
  ),
  stat(
    'Paused queues',
    'Queues that somebody has paused.',
    'short',
    { paused: 'sum(max by (queue) (writ_queue_paused{queue=~"$queue"}))' },
    { warn: 1, bad: 1 },
  ),
  series('Waiting by queue', 'Depth of each queue. A rising line means that more is pushed than done.', 'short', {
    '{{queue}}': 'max by (queue) (writ_queue_jobs{queue=~"$queue", state="waiting"})',
  }),
  series('Active by queue', 'Jobs that workers hold.', 'short', { '{{queue}}': 'max by (queue) (writ_queue_jobs{queue=~"$queue", state="active"})' }),
  series('Delayed by queue', 'Jobs that wait for a time: busy tasks, attempts to come, plans that wait for a step.', 'short', {
    '{{queue}}': 'max by (queue) (writ_queue_jobs{queue=~"$queue", state="delayed"})',
  }),
  series('Failed by queue', 'Failed jobs that are kept, seven days. Retry them on the board.', 'short', {
    '{{queue}}': 'max by (queue) (writ_queue_jobs{queue=~"$queue", state="failed"})',
  }),
  series('Completed by queue', 'Completed jobs that are kept, an hour.', 'short', {
    '{{queue}}': 'max by (queue) (writ_queue_jobs{queue=~"$queue", state="completed"})',
  }),
  series('Workers by queue', 'Workers that are connected to each queue, and processes whose heartbeat is fresh.', 'short', {
    '{{queue}}': 'max by (queue) (writ_queue_workers{queue=~"$queue"})',
    alive: 'max(writ_workers_alive)',
  }),
  series(
    'Slots in use',
    'Part of the slots of each worker that runs a task. Level at 1: add concurrency or workers.',
    'percentunit',
    { '{{instance}}': 'sum by (instance) (writ_worker_busy_slots) / sum by (instance) (writ_worker_slots)' },
    { warn: 0.8, bad: 1 },
  ),
  series('Attempts by reason', 'Deliveries per second by reason; takeover means that a worker was lost.', 'ops', {
    '{{reason}}': `sum by (reason) (rate(writ_task_attempts_total[${RATE}]))`,
  }),
  series('Deliveries by end', 'Deliveries per second by their end; crashed ones are mistakes of ours or of the host.', 'ops', {
    '{{end}}': `sum by (end) (rate(writ_deliveries_ended_total[${RATE}]))`,
  }),
  series('Plans by end', 'Deliveries of plans per second; parked ones wait for a step.', 'ops', {
    '{{end}}': `sum by (end) (rate(writ_plan_deliveries_total[${RATE}]))`,
  }),
  series(
    'Stalled jobs and lost locks',
    'Jobs of lost workers that were put back, and locks that could not be renewed, per second.',
    'ops',
    { stalled: `sum(rate(writ_stalled_total[${RATE}]))`, 'locks lost': `sum(rate(writ_lock_renewal_failures_total[${RATE}]))` },
    { warn: 0.001, bad: 0.001 },
  ),
  series(
    'Event loop lag',
    'The 99th percentile of the lag of each process since the last scrape. Above the life of a lock a worker loses its jobs.',
    's',
    { '{{role}} {{instance}}': 'max by (role, instance) (nodejs_eventloop_lag_p99_seconds)' },
    { warn: 0.2, bad: 1 },
  ),
  series('Recoveries', 'What was decided about open attempts of lost workers, per second; incident wants a person.', 'ops', {
    '{{decision}}': `sum by (decision) (rate(writ_recoveries_total[${RATE}]))`,
  }),
  series(
    'Journal commit time',
    'Commits with their fsync. Each file task waits for two.',
    's',
    {
      p50: `histogram_quantile(0.5, sum by (le) (rate(writ_journal_commit_seconds_bucket[${RATE}])))`,
      p95: `histogram_quantile(0.95, sum by (le) (rate(writ_journal_commit_seconds_bucket[${RATE}])))`,
      p99: `histogram_quantile(0.99, sum by (le) (rate(writ_journal_commit_seconds_bucket[${RATE}])))`,
    },
    { warn: 0.1, bad: 0.5 },
  ),
  series(
    'Requests in a commit',
    'Mean number of requests that share a commit; it rises with load and keeps the disk from being the limit. Beside it, tasks and plans a second of which only is kept that they were done.',
    'short',
    {
      requests: `sum(rate(writ_journal_commit_requests_sum[${RATE}])) / (sum(rate(writ_journal_commit_requests_count[${RATE}])) > 0)`,
      'trimmed tasks': `sum(rate(writ_journal_trimmed_total[${RATE}]))`,
      'trimmed plans': `sum(rate(writ_plans_trimmed_total[${RATE}]))`,
    },
  ),
  series(
    'Traces',
    'Spans that the collector took, spans that were dropped by reason, and trace contexts that were none, per second.',
    'ops',
    {
      exported: `sum(rate(writ_trace_spans_exported_total[${RATE}]))`,
      'dropped: {{reason}}': `sum by (reason) (rate(writ_trace_spans_dropped_total[${RATE}]))`,
      'ignored: {{source}}': `sum by (source) (rate(writ_trace_contexts_ignored_total[${RATE}]))`,
    },
    { warn: 1000, bad: 1000 },
  ),
  series(
    'Exchanged places',
    'Directories and journals that a worker holds and whose path leads to something else. Tasks are refused; look at what stands there.',
    'short',
    { '{{place}}': 'max by (place) (writ_place_exchanged)' },
    { warn: 1, bad: 1 },
  ),
  series(
    'Notices of webhooks',
    'Notices in the outbox by their state.',
    'short',
    { '{{state}}': 'sum by (state) (writ_webhook_notices)' },
    { warn: 1000, bad: 10000 },
  ),
  series(
    'Attempts to deliver notices',
    'Attempts by how they ended; `dead` ones were given up.',
    'ops',
    { '{{end}}': `sum by (end) (rate(writ_webhook_attempts_total[${RATE}]))` },
    { warn: 100, bad: 1000 },
  ),
  series('Texts of notices', 'What the outbox holds of `webhooks.max_bytes`.', 'bytes', { held: 'sum(writ_webhook_held_bytes)' }, { warn: 5e8, bad: 1e9 }),
  series(
    'Dropped by the outbox',
    'Texts that are made again when they are sent again, and dead notices that were forgotten.',
    'ops',
    { '{{what}}': `sum by (what) (rate(writ_webhook_dropped_total[${RATE}]))` },
    { warn: 1, bad: 100 },
  ),
  series(
    'Oldest notice',
    'Age of the oldest notice that is not delivered.',
    's',
    { oldest: 'max(writ_webhook_oldest_pending_age_seconds)' },
    { warn: 600, bad: 3600 },
  ),
];
