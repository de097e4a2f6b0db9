import { isWritError } from '../core/errors.ts';
import type { ContentSearch, ContentSearchOutcome } from '../core/ports/index.ts';
import { INDEX_BYPASSES } from './content-index-rows.ts';
import { countCandidates, countFacts } from './content-stats.ts';
import type { LabelsOf } from './events.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

type End = LabelsOf<'writ_content_searches_total'>['end'];

/** The same tool, its searches counted. */
export function countContentSearches(tool: ContentSearch, metrics: Metrics): ContentSearch {
  return {
    async search(request, signal) {
      let outcome: ContentSearchOutcome;
      try {
        outcome = await tool.search(request, signal);
      } catch (error) {
        if (isWritError(error)) metrics.inc('writ_content_searches_total', { backend: 'none', end: 'rejected' });
        throw error;
      }
      count(outcome, signal.aborted, metrics);
      return outcome;
    },
  };
}

function count(outcome: ContentSearchOutcome, aborted: boolean, metrics: Metrics): void {
  if (!outcome.ok) {
    metrics.inc('writ_content_searches_total', { backend: 'none', end: aborted ? 'aborted' : outcome.error.code === 'BadArgs' ? 'bad_args' : 'failed' });
    return;
  }
  const { answer, run } = outcome;
  const backend = run.processes === 0 ? 'none' : run.backend;
  metrics.inc('writ_content_searches_total', { backend, end: aborted ? 'aborted' : endOf(answer) });
  metrics.observe('writ_content_search_seconds', { backend }, run.elapsedMs / 1000);
  metrics.inc('writ_content_search_files_total', {}, run.files);
  metrics.inc('writ_content_search_events_total', {}, answer.count);
  metrics.inc('writ_content_search_processes_total', {}, run.processes);
  if (run.fallbackUsed) metrics.inc('writ_content_search_fallbacks_total', {});
  metrics.inc('writ_index_searches_total', { bypass: bypassLabel(run.indexBypass) });
  if (run.indexExcluded !== undefined) metrics.inc('writ_index_excluded_files_total', {}, run.indexExcluded);
  countFacts(metrics, run.facts);
  if (answer.stats !== undefined) countCandidates(metrics, answer.stats);
  if (run.indexBarrierMs !== undefined) metrics.observe('writ_index_barrier_seconds', {}, run.indexBarrierMs / 1000);
}

/** The same tool; what its backends write to stderr is logged. */
export function logBackendStderr(tool: ContentSearch, log: Logger): ContentSearch {
  return {
    async search(request, signal) {
      const outcome = await tool.search(request, signal);
      if (outcome.ok && outcome.run.backendStderr !== '')
        log.debug({ backend: outcome.run.backend, stderr: outcome.run.backendStderr }, LOG_LINES.contentBackend.message);
      return outcome;
    },
  };
}

type Bypass = LabelsOf<'writ_index_searches_total'>['bypass'];

const BYPASSES: ReadonlySet<string> = new Set(INDEX_BYPASSES);

/** @param bypass null: the index was used */
function bypassLabel(bypass: string | null): Bypass {
  if (bypass === null) return 'none';
  return BYPASSES.has(bypass) ? (bypass as Bypass) : 'other';
}

function endOf({ timed_out, truncated, count }: Extract<ContentSearchOutcome, { ok: true }>['answer']): End {
  if (timed_out) return 'timed_out';
  if (truncated) return 'truncated';
  return count > 0 ? 'matched' : 'none';
}
