import { ROLE_NAMES } from './labels.ts';
import type { MetricRow } from './metric-row.ts';

const row = <U extends MetricRow['unit']>(type: 'counter' | 'gauge', unit: U, help: string) => ({ type, unit, help, labels: {}, roles: ROLE_NAMES }) as const;

/** What is taken of prom-client's own figures about a process, under their usual names, so that common dashboards fit. */
export const PROCESS_METRICS = {
  process_cpu_seconds_total: row('counter', 'seconds', 'Processor time of the process, user and system.'),
  process_resident_memory_bytes: row('gauge', 'bytes', 'Resident memory of the process.'),
  process_start_time_seconds: row('gauge', 'seconds', 'When the process was started, seconds since 1970.'),
  process_open_fds: row('gauge', 'descriptors', 'Open file descriptors.'),
  process_max_fds: row('gauge', 'descriptors', 'Largest number of open file descriptors.'),
  nodejs_heap_size_used_bytes: row('gauge', 'bytes', 'JavaScript heap in use.'),
  nodejs_eventloop_lag_seconds: row('gauge', 'seconds', 'Lag of the event loop at the scrape.'),
  nodejs_eventloop_lag_p99_seconds: row('gauge', 'seconds', '99th percentile of the lag of the event loop since the last scrape.'),
  nodejs_eventloop_lag_max_seconds: row('gauge', 'seconds', 'Longest lag of the event loop since the last scrape.'),
} as const satisfies Record<string, MetricRow>;
