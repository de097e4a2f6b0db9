import { PLAN_METHODS, SEARCH_MODES } from '../contracts/index.ts';
import type { MessageSearchEvent } from '../core/ports/index.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import { SEARCH_ENGINE_LABELS } from './message-search-rows.ts';
import type { Metrics } from './metrics.ts';

type Log = Pick<Logger, 'debug' | 'info' | 'warn'>;

/** What searches in messages tell, counted and logged (message-search.md 8). */
export function messageSearchTelemetry(metrics: Metrics, log: Log): (event: MessageSearchEvent) => void {
  const told: { readonly [E in MessageSearchEvent as E['event']]: (event: E) => void } = {
    'search.done'({ kind, method, engine, results, total_us, degraded }) {
      metrics.inc('writ_message_searches_total', { method: wordOf(method, PLAN_METHODS, 'empty'), degraded: degraded ? 'yes' : 'no' });
      metrics.observe('writ_message_search_seconds', { engine: wordOf(engine, SEARCH_ENGINE_LABELS, 'none') }, total_us / 1_000_000);
      log.debug({ kind, method, engine, results, ms: total_us / 1000, degraded }, LOG_LINES.messageSearch.message);
    },
    'search.mode.downgrade'({ requested, actual, reason }) {
      metrics.inc('writ_message_search_downgrades_total', { requested: wordOf(requested, SEARCH_MODES, 'lexical') });
      log.info({ requested, actual, reason }, LOG_LINES.messageSearchDowngrade.message);
    },
    'search.cursor.invalidated'({ cursor_engine, current_engine }) {
      metrics.inc('writ_message_search_cursors_ignored_total', {});
      log.info({ cursor_engine, current_engine }, LOG_LINES.messageSearchCursor.message);
    },
    'search.shadow.comparison'({ comparison }) {
      const { serving_engine, shadow_engine, overlap_jaccard, ndcg_at_10, mrr_delta, serving_only, shadow_only } = comparison;
      log.info({ serving_engine, shadow_engine, overlap_jaccard, ndcg_at_10, mrr_delta, serving_only, shadow_only }, LOG_LINES.messageSearchShadow.message);
    },
    'search.engine.error'({ engine, message }) {
      metrics.inc('writ_message_search_engine_errors_total', { engine: wordOf(engine, SEARCH_ENGINE_LABELS, 'none') });
      log.warn({ engine, reason: message }, LOG_LINES.messageSearchError.message);
    },
  };
  return (event) => (told[event.event] as (event: MessageSearchEvent) => void)(event);
}

/** A word of a closed set; a label never grows. */
function wordOf<W extends string>(word: string, words: readonly W[], otherwise: W): W {
  return words.find((one) => one === word) ?? otherwise;
}
