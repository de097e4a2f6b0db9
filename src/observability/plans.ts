import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';
import { messageForLog } from './redact.ts';

/** What is told about one delivery of a plan's job. */
export interface PlanReport {
  readonly queue: string;
  readonly jobId: string;
  readonly planSha256: string | undefined;
  readonly end: 'success' | 'failure' | 'malformed' | 'refused' | 'parked' | 'busy' | 'interrupted' | 'crashed';
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly ms: number;
  /** The end was there already. */
  readonly replayed: boolean;
  /** Of the trace that the job says it belongs to. */
  readonly traceId?: string | undefined;
  readonly badTrace?: boolean;
  readonly error?: unknown;
}

/** One structured log line per delivery that says something new; a plan that waits for its step is told at `debug`. */
export function logPlan(log: Logger, { error, replayed: _replayed, badTrace: _badTrace, message, ...report }: PlanReport): void {
  const line = { ...report, message: messageForLog(report.end, report.code, message), ms: Math.round(report.ms * 100) / 100 };
  const kind = LOG_LINES.plan.message;
  if (report.end === 'crashed') log.error({ ...line, err: error }, kind);
  else if (report.end === 'parked' || report.end === 'busy') log.debug(line, kind);
  else log.info(line, kind);
}

export function countPlan(metrics: Metrics, { end, replayed, badTrace }: PlanReport): void {
  if (badTrace) metrics.inc('writ_trace_contexts_ignored_total', { source: 'job' });
  metrics.inc('writ_plan_deliveries_total', { end: replayed ? 'replayed' : end });
}
