import { isWritError } from '../core/errors.ts';
import type { Logger } from './logging.ts';

/** What is told about one delivery of one job. */
export interface DeliveryReport {
  readonly queue: string;
  readonly jobId: string;
  readonly taskId: string | undefined;
  readonly capability: string | undefined;
  /** `SUCCESS`, `FAILURE`, `malformed`, `refused`, `busy`, `interrupted` or `crashed`. */
  readonly end: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly ms: number;
  readonly takeovers: number;
  readonly error?: unknown;
}

/** One structured log line per delivery; only what crashed is an error of ours. */
export function reportDeliveries(log: Logger): (report: DeliveryReport) => void {
  return ({ error, ...report }) => {
    const line = { ...report, ms: Math.round(report.ms * 100) / 100 };
    if (report.end === 'crashed') log.error({ ...line, err: isWritError(error) ? { code: error.code, message: error.message } : error }, 'delivery');
    else log.info(line, 'delivery');
  };
}
