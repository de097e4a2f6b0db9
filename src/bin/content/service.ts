import { userSurroundings } from '../../../config/load.ts';
import { compileDenied } from '../../content-search/enumerate/denied.ts';
import { type ContentProcessFacts, createContentProcess } from '../../content-search/process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../../content-search/process/entry.ts';
import { contentSettings } from '../../content-search/settings/content-settings.ts';
import { contentRefusal } from '../../content-search/settings/refusals.ts';
import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { ContentSearch } from '../../core/ports/index.ts';
import { countContentSearches } from '../../observability/content-search.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { RoleContext } from '../roles/context.ts';

/** The `Search` tool as a role has it. */
export interface ContentService extends ContentSearch {
  /** Why every search is refused; then there is no process, and nobody may ask. */
  readonly refusal: string | undefined;
  readonly parts: readonly Lifecycle[];
}

/** The tool in a process of its own, counted and logged; no process where the settings refuse every search. */
export function contentService({ config, log }: Pick<RoleContext, 'config' | 'log'>, metrics: Metrics): ContentService {
  const refusal = contentRefusal(config);
  if (refusal !== undefined) return { refusal, parts: [], search: () => Promise.reject(new WritError('SEARCH_NOT_ALLOWED', refusal)) };
  // A pattern that fits nothing would protect nothing: the role says so before anything is searched.
  compileDenied(config.tools.sandbox.denied_patterns);
  const process = createContentProcess({
    entry: contentProcessEntry(),
    args: [contentProcessArgument({ settings: contentSettings(config, userSurroundings()), landlock: 0 })],
    defaultTimeoutMs: config.tools.search.default_timeout_ms,
    onReady(facts) {
      metrics.inc('writ_content_process_starts_total', { confined: facts.landlock > 0 ? 'yes' : 'no' });
      log[facts.problem === undefined ? 'info' : 'warn']({ ...facts } satisfies ContentProcessFacts, LOG_LINES.contentReady.message);
    },
    onLoss(why) {
      metrics.inc('writ_content_process_losses_total', { why });
      log.warn({ why }, LOG_LINES.contentProcess.message);
    },
  });
  const counted = countContentSearches(process, metrics);
  return {
    refusal: undefined,
    parts: [process],
    async search(request, signal) {
      const outcome = await counted.search(request, signal);
      if (outcome.ok && outcome.run.backendStderr !== '')
        log.debug({ backend: outcome.run.backend, stderr: outcome.run.backendStderr }, LOG_LINES.contentBackend.message);
      return outcome;
    },
  };
}

/** The same, with at most so many searches at a time. Further ones throw WritError RATE_LIMITED. */
export function limited<T extends ContentSearch>(tool: T, most: number): T {
  let running = 0;
  return {
    ...tool,
    async search(request: unknown, signal: AbortSignal) {
      if (running >= most) throw new WritError('RATE_LIMITED', `${most} content searches run already; try again in a moment`);
      running += 1;
      try {
        return await tool.search(request, signal);
      } finally {
        running -= 1;
      }
    },
  };
}
