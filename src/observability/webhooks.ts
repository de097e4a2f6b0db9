import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

interface Attempt {
  readonly endpoint: string;
  readonly noticeId: string;
  readonly taskId: string;
  readonly end: 'delivered' | 'failed' | 'dead';
  readonly problem: string | undefined;
  readonly attempts: number;
}

interface Count {
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly notices: number;
  readonly bytes: number;
  /** Of the pending ones, milliseconds since 1970. */
  readonly oldestAt: number | undefined;
}

/** What webhooks tell, counted and logged. */
export function webhookTelemetry(metrics: Metrics, log: Pick<Logger, 'warn'>, now: () => number) {
  return {
    report({ endpoint, noticeId, taskId, end, attempts, problem }: Attempt): void {
      metrics.inc('writ_webhook_attempts_total', { end });
      if (end !== 'delivered') log.warn({ endpoint, notice: noticeId, taskId, end, attempts, problem }, LOG_LINES.webhookFailed.message);
    },
    counted(counts: readonly Count[]): void {
      for (const state of ['pending', 'delivered', 'dead'] as const) {
        const sum = counts.reduce((total, one) => total + (one.state === state ? one.notices : 0), 0);
        metrics.set('writ_webhook_notices', { state }, sum);
      }
      metrics.set(
        'writ_webhook_held_bytes',
        {},
        counts.reduce((total, { bytes }) => total + bytes, 0),
      );
      const oldest = Math.min(...counts.flatMap(({ oldestAt }) => oldestAt ?? []));
      metrics.set('writ_webhook_oldest_pending_age_seconds', {}, Number.isFinite(oldest) ? Math.max(0, now() - oldest) / 1000 : 0);
    },
    dropped(what: 'text' | 'notice', count: number): void {
      metrics.inc('writ_webhook_dropped_total', { what }, count);
      log.warn({ what, count }, LOG_LINES.webhookDropped.message);
    },
    onTrouble: (error: unknown): void => log.warn({ err: error }, LOG_LINES.webhookTrouble.message),
  };
}
