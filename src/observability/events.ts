import { CONTENT_INDEX_METRICS } from './content-index-rows.ts';
import { CONTENT_SEARCH_METRICS } from './content-search-rows.ts';
import { CONTENT_STATS_METRICS } from './content-stats-rows.ts';
import { CAPABILITIES, ERROR_CODE_LABELS, PLACE, QUEUE, ROLE_NAMES, ROUTE, VERSION } from './labels.ts';
import { MESSAGE_INGEST_METRICS } from './message-ingest-rows.ts';
import { MESSAGE_SEARCH_METRICS } from './message-search-rows.ts';
import type { MetricRow } from './metric-row.ts';
import { PROCESS_METRICS } from './process-metrics.ts';

/**
 * The telemetry contract: every metric, every kind of log line (`log-lines.ts`) and every span (`spans.ts`). Code can record only what stands here; `docs/generated/metrics.md`
 * is written from it (`npm run config:write`), dashboards are checked against it. Labels come from closed sets: never an
 * id, a path or a message.
 */

/** From a millisecond, which is what a task takes on an idle host, to the longest wall-clock limit that makes sense. */
const TASK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
/** The longest: a wait of `http.max_wait_s`, or a bulk push. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
const BATCH_REQUESTS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

const capability = CAPABILITIES;
const API = ['api'] as const;
const WORKER = ['worker'] as const;
const KERNEL = ['kernel'] as const;

const WRIT_METRICS = {
  writ_build_info: { type: 'gauge', unit: 'state', help: 'Always 1; the label tells the version.', labels: { version: VERSION }, roles: ROLE_NAMES },

  writ_tasks_submitted_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Tasks that were pushed through a surface of this process, by what became of the push.',
    labels: { surface: ['http', 'mcp', 'board'], outcome: ['accepted', 'in_flight', 'retried', 'finished', 'conflict', 'rejected'] },
    roles: API,
  },
  writ_http_requests_total: {
    type: 'counter',
    unit: 'requests',
    help: 'Requests that have ended, by route, method and class of the status; gone: the client left before an answer began.',
    labels: {
      route: ROUTE,
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
      status_class: ['2xx', '3xx', '4xx', '5xx', 'gone'],
    },
    roles: API,
  },
  writ_http_request_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the headers of a request to the last byte of its answer, by route; for an event stream, as long as it was open.',
    labels: { route: ROUTE },
    buckets: REQUEST_SECONDS,
    roles: API,
  },
  writ_http_connections: { type: 'gauge', unit: 'connections', help: 'Connections that are open to the API.', labels: {}, roles: API },
  writ_certificate_expires_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'When the certificate of the API ends, or one that leads to its CA if that is earlier; seconds since 1970. Absent without TLS.',
    labels: {},
    roles: API,
  },
  writ_http_event_streams: { type: 'gauge', unit: 'streams', help: 'Event streams (`GET /v1/events`) that are open.', labels: {}, roles: API },

  writ_plan_deliveries_total: {
    type: 'counter',
    unit: 'jobs',
    help: 'Deliveries of plan jobs by how they ended; `parked` waits for a step and holds no slot.',
    labels: { end: ['success', 'failure', 'malformed', 'refused', 'parked', 'busy', 'interrupted', 'crashed', 'replayed'] },
    roles: WORKER,
  },
  writ_tasks_finished_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Deliveries that gave a task a new answer. An earlier answer that was given again is not counted.',
    labels: { capability, status: ['success', 'failure', 'refused', 'malformed'], error_code: ERROR_CODE_LABELS },
    roles: WORKER,
  },
  writ_task_wait_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the push to the first delivery; first attempts only.',
    labels: { capability },
    buckets: TASK_SECONDS,
    roles: WORKER,
  },
  writ_task_run_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the delivery to the recorded answer.',
    labels: { capability },
    buckets: TASK_SECONDS,
    roles: WORKER,
  },
  writ_task_end_to_end_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'From the push to the recorded answer, further attempts included; retries by a person are not.',
    labels: { capability },
    buckets: TASK_SECONDS,
    roles: WORKER,
  },
  writ_task_attempts_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Deliveries by their reason: first, retry (attempts of the producer), operator (a person retried a failed task), takeover (the worker before was lost), postponed (the task was busy or interrupted).',
    labels: { reason: ['first', 'retry', 'operator', 'takeover', 'postponed'] },
    roles: WORKER,
  },
  writ_deliveries_ended_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Deliveries by their end; replayed means that the task had its answer already.',
    labels: { end: ['success', 'failure', 'replayed', 'refused', 'malformed', 'busy', 'interrupted', 'crashed'] },
    roles: WORKER,
  },
  writ_ledger_answers_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'What the ledger answered when a task was claimed; failed: to a job that had waited for the run which failed.',
    labels: { answer: ['new', 'takeover', 'finished', 'failed', 'conflict', 'busy', 'cancelled', 'lost'] },
    roles: WORKER,
  },
  writ_revocations_damaged: {
    type: 'gauge',
    unit: 'state',
    help: '1 while the published revocation log is damaged: nothing new runs.',
    labels: {},
    roles: WORKER,
  },
  writ_lease_refusals_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Tasks that were refused for their lease, by error code.',
    labels: { error_code: ['INVALID_LEASE', 'LEASE_EXPIRED', 'UNSUPPORTED_CAPABILITY'] },
    roles: WORKER,
  },
  writ_recoveries_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Open attempts of lost workers that were looked at, by decision; incident means that nobody can tell what happened to the file.',
    labels: {
      decision: ['redo', 'unlink-source', 'finish', 'publish', 'retire', 'unlink-retired', 'finish-retired', 'withdraw', 'fail', 'incident'],
    },
    roles: WORKER,
  },
  writ_journal_commit_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of one commit of the journal, its fsync included.',
    labels: {},
    buckets: COMMIT_SECONDS,
    roles: WORKER,
  },
  writ_journal_commit_requests: {
    type: 'histogram',
    unit: 'requests',
    help: 'Requests that shared one commit of the journal.',
    labels: {},
    buckets: BATCH_REQUESTS,
    roles: WORKER,
  },
  writ_worker_slots: { type: 'gauge', unit: 'slots', help: 'Tasks that the worker may run at the same time.', labels: {}, roles: WORKER },
  writ_worker_busy_slots: { type: 'gauge', unit: 'slots', help: 'Tasks that the worker runs now.', labels: {}, roles: WORKER },
  writ_worker_deaf: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether the worker has gone deaf to a queue: jobs wait, the queue is not paused, slots are free, and for `worker.deaf_ms` none was begun or ended.',
    labels: { queue: QUEUE },
    roles: WORKER,
  },
  writ_place_exchanged: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether the path of a directory that the worker holds leads to something else: mounted over, renamed away, a link in its place. Tasks are refused meanwhile.',
    labels: { place: PLACE },
    roles: WORKER,
  },
  writ_lock_renewal_failures_total: {
    type: 'counter',
    unit: 'jobs',
    help: 'Locks that the worker could not renew; their tasks were told to stop.',
    labels: {},
    roles: WORKER,
  },
  writ_stalled_total: { type: 'counter', unit: 'jobs', help: 'Jobs of lost workers that this worker put back into the queue.', labels: {}, roles: WORKER },
  writ_search_processes_ended_total: {
    type: 'counter',
    unit: 'processes',
    help: 'Search processes that ended: over their memory limit, stopped (time limit, cancel, shutdown), replaced because they had grown, or by themselves.',
    labels: { why: ['memory', 'stopped', 'grown', 'died'] },
    roles: WORKER,
  },
  ...CONTENT_SEARCH_METRICS,
  ...CONTENT_STATS_METRICS,
  ...CONTENT_INDEX_METRICS,
  ...MESSAGE_INGEST_METRICS,
  ...MESSAGE_SEARCH_METRICS,
  writ_journal_trimmed_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Tasks of which the journals of the host keep only that they were done (`journal.retention_s`).',
    labels: {},
    roles: WORKER,
  },
  writ_ledger_rebuilds_total: { type: 'counter', unit: 'events', help: 'Times that Redis had no ledger, or had lost it.', labels: {}, roles: WORKER },

  writ_trace_contexts_ignored_total: {
    type: 'counter',
    unit: 'events',
    help: 'Fields `traceparent` that were none, in the header of a request or in a job; the work went on without them.',
    labels: { source: ['http', 'job'] },
    roles: ['api', 'worker'],
  },
  writ_trace_spans_exported_total: {
    type: 'counter',
    unit: 'spans',
    help: 'Spans that the collector has taken.',
    labels: {},
    roles: ['api', 'worker'],
  },
  writ_trace_spans_dropped_total: {
    type: 'counter',
    unit: 'spans',
    help: 'Spans that were lost: too many waited for the collector, it did not take them, or the process had to stop.',
    labels: { reason: ['queue_full', 'export_failed', 'stopped'] },
    roles: ['api', 'worker'],
  },

  writ_kernel_leases_total: {
    type: 'counter',
    unit: 'events',
    help: 'Leases that were asked of the kernel.',
    labels: { operation: ['issue', 'regrant', 'undo', 'plan', 'derive'], outcome: ['granted', 'refused'] },
    roles: KERNEL,
  },
  writ_kernel_revocations_total: { type: 'counter', unit: 'events', help: 'Revocations that the kernel was asked for.', labels: {}, roles: KERNEL },

  writ_queue_jobs: {
    type: 'gauge',
    unit: 'jobs',
    help: 'Jobs in a queue by state; a paused queue keeps its jobs waiting.',
    labels: { queue: QUEUE, state: ['waiting', 'active', 'delayed', 'completed', 'failed'] },
    roles: API,
  },
  writ_queue_oldest_waiting_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Age of the job that has waited longest; 0 when none waits.',
    labels: { queue: QUEUE },
    roles: API,
  },
  writ_queue_paused: { type: 'gauge', unit: 'state', help: 'Whether the queue is paused.', labels: { queue: QUEUE }, roles: API },
  writ_queue_workers: { type: 'gauge', unit: 'processes', help: 'Workers that are connected to a queue.', labels: { queue: QUEUE }, roles: API },
  writ_workers_alive: { type: 'gauge', unit: 'processes', help: 'Worker processes of this data directory whose heartbeat is fresh.', labels: {}, roles: API },
  writ_ledger_markers: {
    type: 'gauge',
    unit: 'markers',
    help: 'Generation markers in Redis; fewer than expected: the ledger was lost.',
    labels: {},
    roles: API,
  },
  writ_ledger_markers_expected: { type: 'gauge', unit: 'markers', help: 'Generation markers that belong in Redis.', labels: {}, roles: API },
  writ_redis_memory_used_bytes: { type: 'gauge', unit: 'bytes', help: 'Memory that Redis uses.', labels: {}, roles: API },
  writ_redis_memory_limit_bytes: { type: 'gauge', unit: 'bytes', help: 'Memory limit of Redis; 0: none.', labels: {}, roles: API },
  writ_redis_noeviction: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether Redis keeps everything that it was given (maxmemory-policy noeviction).',
    labels: {},
    roles: API,
  },
  writ_redis_append_only: { type: 'gauge', unit: 'state', help: 'Whether Redis writes an append-only file.', labels: {}, roles: API },
  writ_redis_append_only_ok: { type: 'gauge', unit: 'state', help: 'Whether the last write of the append-only file went well.', labels: {}, roles: API },

  writ_exporter_up: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether the figures of queues and Redis were read; 0: they are absent from this scrape.',
    labels: {},
    roles: API,
  },
  writ_exporter_scrape_errors_total: {
    type: 'counter',
    unit: 'events',
    help: 'Readings of queues and Redis that failed or took too long.',
    labels: { reason: ['timeout', 'failed'] },
    roles: API,
  },
  writ_exporter_scrape_seconds: { type: 'gauge', unit: 'seconds', help: 'Time of the last reading of queues and Redis.', labels: {}, roles: API },
  writ_gather_sources: {
    type: 'gauge',
    unit: 'processes',
    help: 'Processes of this data directory that answered this scrape, the API itself not counted.',
    labels: {},
    roles: API,
  },
  writ_gather_errors_total: {
    type: 'counter',
    unit: 'events',
    help: 'Processes that did not answer a scrape as they should.',
    labels: { reason: ['timeout', 'unreachable', 'too_large', 'malformed'] },
    roles: API,
  },
} as const satisfies Record<string, MetricRow>;

export const METRICS = { ...WRIT_METRICS, ...PROCESS_METRICS } as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
type OfType<T> = { [K in keyof typeof WRIT_METRICS]: (typeof WRIT_METRICS)[K]['type'] extends T ? K : never }[keyof typeof WRIT_METRICS];
export type CounterName = OfType<'counter'>;
export type GaugeName = OfType<'gauge'>;
export type HistogramName = OfType<'histogram'>;

/** The labels of a metric with the values that each may have. */
export type LabelsOf<K extends MetricName> = {
  readonly [L in keyof (typeof METRICS)[K]['labels']]: (typeof METRICS)[K]['labels'][L] extends readonly (infer V)[] ? V : string;
};
