import { type Panel, RATE, series, stat } from './panel.ts';

/** The dashboard of Redis and the host: memory, persistence, and the processes of Writ. */
export const REDIS: readonly Panel[] = [
  stat(
    'Memory used',
    'Part of the memory limit that Redis uses. Above redis.high_water new tasks are refused; nothing is evicted.',
    'percentunit',
    { used: 'max(writ_redis_memory_used_bytes) / (max(writ_redis_memory_limit_bytes) > 0)' },
    { warn: 0.7, bad: 0.8 },
  ),
  stat('Policy', 'Whether (1) Redis keeps everything (noeviction).', 'short', { noeviction: 'min(writ_redis_noeviction)' }, { warn: 1, bad: 1, below: true }),
  stat(
    'Append-only file',
    'Whether (1) it is on and the last write went well.',
    'short',
    { written: 'min(writ_redis_append_only) * min(writ_redis_append_only_ok)' },
    { warn: 1, bad: 1, below: true },
  ),
  stat('Exporter', 'Whether (1) queues and Redis answer within 500 ms.', 'short', { up: 'min(writ_exporter_up)' }, { warn: 1, bad: 1, below: true }),
  stat(
    'Certificate of the API',
    'Time until it, or one that leads to its CA, ends. Nothing without TLS.',
    's',
    { left: 'min(writ_certificate_expires_timestamp_seconds - time())' },
    { warn: 1_209_600, bad: 259_200, below: true },
  ),
  stat(
    'Logs that grow on',
    'Logs of roles, and the audit log, that were to be put aside and could not be.',
    'short',
    { growing: 'sum(writ_rotation_failing)' },
    { warn: 1, bad: 2 },
  ),
  series('Redis memory', 'Memory that Redis uses, and its limit.', 'bytes', {
    used: 'max(writ_redis_memory_used_bytes)',
    limit: 'max(writ_redis_memory_limit_bytes)',
  }),
  series(
    'Reading time of the exporter',
    'Time of the last reading of queues and Redis; it stands for the speed of Redis.',
    's',
    { reading: 'max(writ_exporter_scrape_seconds)' },
    { warn: 0.1, bad: 0.5 },
  ),
  series(
    'Trouble of the scrape',
    'Readings that failed and processes that did not answer, per second.',
    'ops',
    {
      'redis: {{reason}}': `sum by (reason) (rate(writ_exporter_scrape_errors_total[${RATE}]))`,
      'process: {{reason}}': `sum by (reason) (rate(writ_gather_errors_total[${RATE}]))`,
    },
    { warn: 0.001, bad: 0.001 },
  ),
  series('Ledger markers', 'Generation markers in Redis, and those that belong there. Fewer: the ledger was lost.', 'short', {
    there: 'max(writ_ledger_markers)',
    expected: 'max(writ_ledger_markers_expected)',
  }),
  series(
    'Ledger rebuilds',
    'Times per second that the ledger was written back from the journal.',
    'ops',
    { rebuilds: `sum(rate(writ_ledger_rebuilds_total[${RATE}]))` },
    { warn: 0.001, bad: 0.001 },
  ),
  series('Processes', 'Processes that answered the scrape, by role.', 'short', {
    '{{role}}': 'count by (role) (writ_build_info)',
    answered: 'max(writ_gather_sources)',
  }),
  series(
    'Processor time',
    'Seconds of processor time per second, by process.',
    'percentunit',
    { '{{role}} {{instance}}': `sum by (role, instance) (rate(process_cpu_seconds_total[${RATE}]))` },
    { warn: 0.8, bad: 1 },
  ),
  series('Resident memory', 'Resident memory of each process.', 'bytes', {
    '{{role}} {{instance}}': 'max by (role, instance) (process_resident_memory_bytes)',
  }),
  series('Heap', 'JavaScript heap in use.', 'bytes', { '{{role}} {{instance}}': 'max by (role, instance) (nodejs_heap_size_used_bytes)' }),
  series(
    'Longest event loop lag',
    'Longest lag since the last scrape, by process.',
    's',
    { '{{role}} {{instance}}': 'max by (role, instance) (nodejs_eventloop_lag_max_seconds)' },
    { warn: 0.5, bad: 3 },
  ),
  series(
    'Descriptors',
    'Part of the open file descriptors that a process may have.',
    'percentunit',
    { '{{role}} {{instance}}': 'max by (role, instance) (process_open_fds / process_max_fds)' },
    { warn: 0.7, bad: 0.9 },
  ),
  series('Uptime', 'Time since each process was started.', 's', { '{{role}} {{instance}}': 'time() - max by (role, instance) (process_start_time_seconds)' }),
];
