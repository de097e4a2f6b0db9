import type { Config } from '../../../config/schema.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createScanPool } from '../../adapters/search-process/pool.ts';
import { createSpillPlace } from '../../adapters/search-process/spill.ts';
import { createContentExecutor } from '../../executors/content/index.ts';
import { createExchangeableExecutor, type Generation } from '../../executors/exchange.ts';
import { createSearchExecutor } from '../../executors/search/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import { contentService } from '../content.ts';
import { type SearchProcessOptions, searchProcessEntry } from '../search/process.ts';
import { searchScopes } from '../search/scopes.ts';
import type { RoleContext } from './context.ts';
import type { QueueService } from './wire-pipeline.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Searches: the executor with its allow-list and the processes that scan, and content searches with theirs. What may not
 * be searched at all is refused, and no process is kept for it.
 */
export function searchService(context: RoleContext, { metrics, tracer }: { readonly metrics: Metrics; readonly tracer: Tracer | undefined }): QueueService {
  const { config, places, log, reloadable } = context;
  const spill = createSpillPlace(places.searchSpill);
  const generationOf = ({ search, worker }: Config): Generation => {
    const scopes = searchScopes({ search });
    const kinds = [...new Set(Object.values(scopes).map(({ kind }) => kind))].sort();
    const maxBytes = search.max_memory_mb * MEGABYTE;
    const scanner = createScanPool({
      entry: searchProcessEntry(),
      args: [JSON.stringify({ kinds, spillDirectory: places.searchSpill, maxBytes } satisfies SearchProcessOptions)],
      // SQLite asks the environment where its files may lie while it sorts; else it takes a directory of the host.
      env: { SQLITE_TMPDIR: places.searchSpill },
      size: kinds.length === 0 ? 0 : worker.search_concurrency,
      maxBytes,
      onGone: spill.removeOf,
      onEnd(why) {
        metrics.inc('writ_search_processes_ended_total', { why });
        if (why !== 'grown') log.warn({ why }, LOG_LINES.searchProcess.message);
      },
    });
    const scan = traceCalls(scanner, { scan: 'scan' }, tracer);
    return { executor: createSearchExecutor({ scopes, scanner: scan, maxRunMs: search.max_run_s * 1000 }), life: scanner };
  };
  const search = createExchangeableExecutor(generationOf(config));
  reloadable?.settings.follow((next, now) => (next.search === now.search ? undefined : search.prepare(generationOf(next))));
  const content = contentService(context, metrics);
  return {
    queue: queueName('search', config.pool.id),
    concurrency: config.worker.search_concurrency,
    executors: [search, createContentExecutor({ tool: traceCalls(content, { search: 'contentSearch' }, tracer), refusal: content.refusal })],
    parts: [spill.part, search, ...content.parts],
  };
}
