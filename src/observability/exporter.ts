import type { Clock } from '../core/clock.ts';
import type { SystemFigures } from '../core/ports/index.ts';
import { withTimeout } from '../core/with-timeout.ts';
import type { GaugeName } from './events.ts';
import type { Metrics } from './metrics.ts';

export interface ExporterOptions {
  readonly metrics: Metrics;
  /** Reads queues, ledger markers and Redis. */
  readonly read: () => Promise<SystemFigures>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long a reading may take before a scrape goes on without it, milliseconds. */
  readonly timeoutMs?: number;
  /** How long a reading counts, milliseconds. */
  readonly maxAgeMs?: number;
}

const TIMEOUT_MS = 500;
const MAX_AGE_MS = 1000;

/**
 * Puts the figures of queues and Redis into the metrics of the one process that exports them.
 *
 * @returns brings them up to date; never rejects and takes at most `timeoutMs`. Figures that could not be read are
 *   absent rather than old, and `writ_exporter_up` is 0. A reading that is late goes on alone: there is never more than one.
 */
export function createExporter({ metrics, read, clock, timeoutMs = TIMEOUT_MS, maxAgeMs = MAX_AGE_MS }: ExporterOptions): () => Promise<void> {
  let reading: Promise<boolean> | undefined;
  let good: number | undefined;

  async function look(): Promise<boolean> {
    const started = clock.monotonic();
    try {
      show(metrics, await read());
      good = clock.monotonic();
      metrics.set('writ_exporter_scrape_seconds', {}, (good - started) / 1000);
      return true;
    } catch {
      return false;
    } finally {
      reading = undefined;
    }
  }

  metrics.set('writ_exporter_up', {}, 0);
  return async () => {
    if (good !== undefined && clock.monotonic() - good < maxAgeMs) return;
    reading ??= look();
    const end = await withTimeout(reading, timeoutMs);
    metrics.set('writ_exporter_up', {}, end === true ? 1 : 0);
    if (end === true) return;
    metrics.inc('writ_exporter_scrape_errors_total', { reason: end === undefined ? 'timeout' : 'failed' });
    good = undefined;
    for (const name of FIGURES) metrics.clear(name);
  };
}

/** What is absent when it could not be read. */
const FIGURES = [
  'writ_queue_jobs',
  'writ_queue_oldest_waiting_age_seconds',
  'writ_queue_paused',
  'writ_queue_workers',
  'writ_workers_alive',
  'writ_ledger_markers',
  'writ_ledger_markers_expected',
  'writ_redis_memory_used_bytes',
  'writ_redis_memory_limit_bytes',
  'writ_redis_noeviction',
  'writ_redis_append_only',
  'writ_redis_append_only_ok',
  'writ_exporter_scrape_seconds',
] as const satisfies readonly GaugeName[];

const STATES = ['waiting', 'active', 'delayed', 'completed', 'failed'] as const;

function show(metrics: Metrics, { queues, workers, ledger, redis }: SystemFigures): void {
  for (const one of queues) {
    const { queue } = one;
    for (const state of STATES) metrics.set('writ_queue_jobs', { queue, state }, one[state]);
    metrics.set('writ_queue_oldest_waiting_age_seconds', { queue }, (one.oldestWaitingMs ?? 0) / 1000);
    metrics.set('writ_queue_paused', { queue }, Number(one.paused));
    metrics.set('writ_queue_workers', { queue }, one.workers);
  }
  metrics.set('writ_workers_alive', {}, workers.filter(({ alive }) => alive).length);
  metrics.set('writ_ledger_markers', {}, ledger.markers);
  metrics.set('writ_ledger_markers_expected', {}, ledger.expected);
  metrics.set('writ_redis_memory_used_bytes', {}, redis.usedBytes);
  metrics.set('writ_redis_memory_limit_bytes', {}, redis.limitBytes);
  metrics.set('writ_redis_noeviction', {}, Number(redis.policy === 'noeviction'));
  metrics.set('writ_redis_append_only', {}, Number(redis.appendOnly));
  metrics.set('writ_redis_append_only_ok', {}, Number(redis.appendOnlyOk));
}
