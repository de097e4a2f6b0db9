import type { FailureCause } from '../contracts/index.ts';
import { failureCause } from '../core/failure-cause.ts';
import { type CapabilityLabel, capabilityLabel, errorCodeLabel } from './labels.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';
import { messageForLog } from './redact.ts';

/** What is told about one delivery of one job. */
export interface DeliveryReport {
  readonly queue: string;
  readonly jobId: string;
  readonly taskId: string | undefined;
  readonly capability: string | undefined;
  readonly end: 'SUCCESS' | 'FAILURE' | 'malformed' | 'refused' | 'busy' | 'interrupted' | 'crashed';
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly ms: number;
  readonly takeovers: number;
  /** Of the plan that the task is a step of. */
  readonly planId?: string | undefined;
  /** Of the trace that the job says it belongs to. */
  readonly traceId?: string | undefined;
  /** The job says that it belongs to a trace, in words that nobody understands. */
  readonly badTrace?: boolean;
  /** The answer was there already. */
  readonly replayed: boolean;
  readonly attempt: Attempt;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly error?: unknown;
}

/** What the queue says about this delivery. Written in Redis by whoever can write there: figures to be checked. */
export interface Attempt {
  /** Milliseconds since 1970. */
  readonly addedAt: number;
  readonly fetchedAt: number;
  /** How often the job was started since it was added or retried, this time included. */
  readonly started: number;
  /** How often it has failed since then. */
  readonly failed: number;
  /** Failures that are noted in it, also those from before a person retried it. */
  readonly failures: number;
}

/** One structured log line per delivery; only what crashed is an error of ours. Its fields are named, because leaving some out of a copy costs more than the line. */
export function logDelivery(log: Logger, report: DeliveryReport): void {
  const { queue, jobId, taskId, capability, end, code, takeovers, planId, traceId } = report;
  const ms = Math.round(report.ms * 100) / 100;
  const message = messageForLog(end, code, report.message);
  const cause = causeOf(report);
  const line = { queue, jobId, taskId, capability, end, code, reason: cause?.reason, whose: cause?.whose, ms, takeovers, planId, traceId, message };
  if (end === 'crashed') log.error({ ...line, err: report.error }, LOG_LINES.delivery.message);
  else log.info(line, LOG_LINES.delivery.message);
}

/** Counts one delivery. Called for every task: a few microseconds. */
export function countDelivery(metrics: Metrics, report: DeliveryReport): void {
  const { end, replayed, code, attempt, endedAt } = report;
  if (report.badTrace) metrics.inc('writ_trace_contexts_ignored_total', { source: 'job' });
  const reason = reasonOf(report);
  metrics.inc('writ_task_attempts_total', { reason });
  metrics.inc('writ_deliveries_ended_total', { end: replayed ? 'replayed' : ENDS[end] });
  const capability = capabilityLabel(report.capability);
  if (reason === 'first') observeSeconds(metrics, 'writ_task_wait_seconds', capability, attempt.fetchedAt - attempt.addedAt);
  const status = STATUSES[end];
  if (status === undefined || replayed) return;
  metrics.inc('writ_tasks_finished_total', { capability, status, error_code: end === 'malformed' ? 'INVALID_MANIFEST' : errorCodeLabel(code) });
  const cause = causeOf(report);
  metrics.inc('writ_task_outcomes_total', { capability, whose: cause?.whose ?? 'none' });
  if (cause !== undefined) metrics.inc('writ_task_failure_reasons_total', { capability, reason: cause.reason });
  if (code !== undefined && isLeaseCode(code)) metrics.inc('writ_lease_refusals_total', { error_code: code });
  if (status !== 'success' && status !== 'failure') return;
  observeSeconds(metrics, 'writ_task_run_seconds', capability, report.ms);
  if (reason !== 'operator') observeSeconds(metrics, 'writ_task_end_to_end_seconds', capability, endedAt - attempt.addedAt);
}

/** Of an end that answers a task without success; what will be tried again has no cause yet. */
function causeOf({ end, code, message }: DeliveryReport): FailureCause | undefined {
  if (end === 'malformed') return failureCause('INVALID_MANIFEST', '');
  return end === 'FAILURE' || end === 'refused' ? failureCause(code ?? '', message ?? '') : undefined;
}

const ENDS = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  malformed: 'malformed',
  refused: 'refused',
  busy: 'busy',
  interrupted: 'interrupted',
  crashed: 'crashed',
} as const satisfies Record<DeliveryReport['end'], string>;

/** Ends that gave an answer. */
const STATUSES = {
  SUCCESS: 'success',
  FAILURE: 'failure',
  refused: 'refused',
  malformed: 'malformed',
  busy: undefined,
  interrupted: undefined,
  crashed: undefined,
} as const satisfies Record<DeliveryReport['end'], string | undefined>;

function reasonOf({ takeovers, attempt }: DeliveryReport): 'takeover' | 'retry' | 'operator' | 'postponed' | 'first' {
  if (takeovers > 0) return 'takeover';
  if (attempt.failed > 0) return 'retry';
  if (attempt.started > 1) return 'postponed';
  return attempt.failures > 0 ? 'operator' : 'first';
}

const LEASE_CODES = { INVALID_LEASE: true, LEASE_EXPIRED: true, UNSUPPORTED_CAPABILITY: true } as const;

function isLeaseCode(code: string): code is keyof typeof LEASE_CODES {
  return Object.hasOwn(LEASE_CODES, code);
}

/** No job is older than this; a raw producer may write any time into its job. */
const OLDEST_MS = 400 * 86_400_000;

function observeSeconds(
  metrics: Metrics,
  name: 'writ_task_wait_seconds' | 'writ_task_run_seconds' | 'writ_task_end_to_end_seconds',
  capability: CapabilityLabel,
  ms: number,
): void {
  if (ms > -1000 && ms < OLDEST_MS) metrics.observe(name, { capability }, Math.max(0, ms) / 1000);
}
