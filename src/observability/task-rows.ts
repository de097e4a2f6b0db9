import { FAILURE_OWNERS, FAILURE_REASON_NAMES } from '../contracts/index.ts';
import { CAPABILITIES, ERROR_CODE_LABELS, PLACE, QUEUE } from './labels.ts';
import type { MetricRow } from './metric-row.ts';

/** From a millisecond, which is what a task takes on an idle host, to the longest wall-clock limit that makes sense. */
const TASK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
const BATCH_REQUESTS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

const capability = CAPABILITIES;
const WORKER = ['worker'] as const;

/** What workers tell of deliveries, of the ledger's answers and of their journals. */
export const TASK_METRICS = {
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
  writ_task_outcomes_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'New answers by who can mend what they failed for; `none`: a SUCCESS. Those of host and tool spend the error budget.',
    labels: { capability, whose: ['none', ...FAILURE_OWNERS] },
    roles: WORKER,
  },
  writ_task_failure_reasons_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'New answers without success by their reason. Which reason is whose: errors.md.',
    labels: { capability, reason: FAILURE_REASON_NAMES },
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
    help: 'Open attempts of lost workers that were looked at, by decision; incident: one was written to the journal, also by a worker that was not lost.',
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
} as const satisfies Record<string, MetricRow>;

/** What becomes of the memory of tasks. */
export const TASK_MEMORY_METRICS = {
  writ_journal_trimmed_total: {
    type: 'counter',
    unit: 'tasks',
    help: 'Tasks of which the journals of the host keep only that they were done (`journal.retention_s`).',
    labels: {},
    roles: WORKER,
  },
  writ_plans_trimmed_total: {
    type: 'counter',
    unit: 'plans',
    help: 'Plans of which the plan journal keeps only that they were run (`journal.retention_s`).',
    labels: {},
    roles: WORKER,
  },
  writ_ledger_rebuilds_total: { type: 'counter', unit: 'events', help: 'Times that Redis had no ledger, or had lost it.', labels: {}, roles: WORKER },
} as const satisfies Record<string, MetricRow>;
