import type { Logger } from 'pino';
import type { MetricRole } from './labels.ts';
import { LOG_LINES } from './log-lines.ts';
import { createMetrics, type Metrics } from './metrics.ts';

/** `log`: the one of a role. `audit`: the audit log, as the API writes it. */
type RotatedFile = 'log' | 'audit';

const growing = new WeakMap<Logger, Set<RotatedFile>>();

/** Keeps, for the scrape, whether a file that is due was put aside; says so when it was not. @param error undefined: it was */
export function rotationTried(log: Logger, file: RotatedFile, error: unknown): void {
  const files = growing.get(log) ?? new Set();
  growing.set(log, files);
  if (error === undefined) files.delete(file);
  else files.add(file);
  if (error !== undefined) log.warn({ err: error, file }, LOG_LINES.rotationFailed.message);
}

/** Shows it at each scrape, since a log that grows on cannot always say so itself. */
export function followRotation(metrics: Metrics, log: Logger, files: readonly RotatedFile[]): void {
  for (const file of files) metrics.follow('writ_rotation_failing', { file }, () => Number(growing.get(log)?.has(file) === true));
}

/** The metrics of a role that writes this log. */
export function createRoleMetrics(role: MetricRole, version: string, log: Logger): Metrics {
  const metrics = createMetrics(role, version);
  followRotation(metrics, log, ['log']);
  return metrics;
}
