import { CONTENT_INDEX_METRICS } from './content-index-rows.ts';
import { CONTENT_SEARCH_METRICS } from './content-search-rows.ts';
import { CONTENT_STATS_METRICS } from './content-stats-rows.ts';
import { ROLE_NAMES, ROUTE, VERSION } from './labels.ts';
import { MESSAGE_INGEST_METRICS } from './message-ingest-rows.ts';
import { MESSAGE_SEARCH_METRICS } from './message-search-rows.ts';
import type { MetricRow } from './metric-row.ts';
import { PROCESS_METRICS } from './process-metrics.ts';
import { QUEUE_METRICS } from './queue-rows.ts';
import { TASK_MEMORY_METRICS, TASK_METRICS } from './task-rows.ts';
import { WEBHOOK_METRICS } from './webhook-rows.ts';

/**
 * The telemetry contract: every metric, every kind of log line (`log-lines.ts`) and every span (`spans.ts`). Code can record only what stands here; `docs/generated/metrics.md`
 * is written from it (`npm run config:write`), dashboards are checked against it. Labels come from closed sets: never an
 * id, a path or a message.
 */

/** The longest: a wait of `http.max_wait_s`, or a bulk push. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;

const API = ['api'] as const;
const KERNEL = ['kernel'] as const;

const WRIT_METRICS = {
  writ_build_info: { type: 'gauge', unit: 'state', help: 'Always 1; the label tells the version.', labels: { version: VERSION }, roles: ROLE_NAMES },

  writ_rotation_failing: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether (1) a file was to be put aside and could not be, the last time that it was tried: `log`, the one of this role, or `audit`, the audit log. It grows on.',
    labels: { file: ['log', 'audit'] },
    roles: ROLE_NAMES,
  },

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

  ...TASK_METRICS,
  ...CONTENT_SEARCH_METRICS,
  ...CONTENT_STATS_METRICS,
  ...CONTENT_INDEX_METRICS,
  ...MESSAGE_INGEST_METRICS,
  ...WEBHOOK_METRICS,
  ...MESSAGE_SEARCH_METRICS,
  ...TASK_MEMORY_METRICS,

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

  ...QUEUE_METRICS,
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
