import type { IngestCounts } from '../contracts/index.ts';
import type { CommitNews, MessageIndexEvent } from '../core/ports/index.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

/** What the writer of messages tells, counted and logged (message-search.md 8). */
export interface IngestTelemetry {
  committed(news: CommitNews): void;
  rebuilding(documents: number): void;
  /** A new, empty store stands where there was one. */
  lost(): void;
  done(counts: IngestCounts): void;
  failed(job: string, error: unknown): void;
  /** What an index beside the database tells. */
  index(engine: 'tantivy' | 'vectors' | 'postgresql'): { onEvent(event: MessageIndexEvent): void; onFailed(why: string): void };
}

const ENGINE = 'fts5';

export function ingestTelemetry(metrics: Metrics, log: Pick<Logger, 'debug' | 'info' | 'warn'>): IngestTelemetry {
  const told = (engine: 'tantivy' | 'vectors' | 'postgresql'): { readonly [E in MessageIndexEvent as E['event']]: (event: E) => void } => ({
    'index.rebuild.start': ({ doc_count }) => log.info({ doc_count, engine }, LOG_LINES.messagesRebuildBegun.message),
    'index.rebuild.complete'({ doc_count, duration_ms }) {
      metrics.inc('writ_message_rebuilds_total', {});
      log.info({ doc_count, duration_ms: Math.round(duration_ms), engine }, LOG_LINES.messagesRebuilt.message);
    },
    'index.incremental.batch'({ batch_size, duration_ms }) {
      metrics.inc('writ_message_indexed_total', { engine }, batch_size);
      log.debug({ batch_size, engine, ms: Math.round(duration_ms) }, LOG_LINES.messagesIndexed.message);
    },
    'index.schema.mismatch': ({ expected, actual }) => log.warn({ expected, actual }, LOG_LINES.messageIndexMismatch.message),
  });
  return {
    committed({ documents, durationMs, rebuild }) {
      metrics.observe('writ_message_commit_seconds', {}, durationMs / 1000);
      if (rebuild !== undefined) {
        metrics.inc('writ_message_rebuilds_total', {});
        log.info({ doc_count: rebuild.documents, duration_ms: Math.round(rebuild.durationMs), engine: ENGINE }, LOG_LINES.messagesRebuilt.message);
      } else if (documents > 0) {
        log.debug({ batch_size: documents, engine: ENGINE, ms: Math.round(durationMs) }, LOG_LINES.messagesIndexed.message);
      }
    },
    rebuilding(documents) {
      log.info({ doc_count: documents, engine: ENGINE }, LOG_LINES.messagesRebuildBegun.message);
    },
    lost: () => log.warn(LOG_LINES.messagesLost.message),
    done(counts) {
      for (const what of ['inserted', 'updated', 'deleted', 'unchanged', 'refused'] as const) metrics.inc('writ_message_ops_total', { what }, counts[what]);
    },
    failed(job, error) {
      metrics.inc('writ_message_ingest_failures_total', {});
      log.warn({ job, err: error }, LOG_LINES.messageJobFailed.message);
    },
    index(engine) {
      const tell = told(engine);
      return {
        onEvent: (event) => (tell[event.event] as (event: MessageIndexEvent) => void)(event),
        onFailed: (why) => log.warn({ engine, why }, LOG_LINES.messageIndexFailed.message),
      };
    },
  };
}
