import { QUEUE } from './labels.ts';
import type { MetricRow } from './metric-row.ts';

const API = ['api'] as const;

/** What the API reads of queues and of Redis, and of the processes whose figures it gathers, once for each scrape. */
export const QUEUE_METRICS = {
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
