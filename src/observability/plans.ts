import { isWritError } from '../core/errors.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

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
  readonly error?: unknown;
}

/** One structured log line per delivery that says something new; a plan that waits for its step is told at `debug`. */
export function logPlan(log: Logger, { error, replayed: _replayed, ...report }: PlanReport): void {
  const line = { ...report, ms: Math.round(report.ms * 100) / 100 };
  const { message } = LOG_LINES.plan;
  if (report.end === 'crashed') log.error({ ...line, err: isWritError(error) ? { code: error.code, message: error.message } : error }, message);
  else if (report.end === 'parked' || report.end === 'busy') log.debug(line, message);
  else log.info(line, message);
}

export function countPlan(metrics: Metrics, { end, replayed }: PlanReport): void {
  metrics.inc('writ_plan_deliveries_total', { end: replayed ? 'replayed' : end });
}
