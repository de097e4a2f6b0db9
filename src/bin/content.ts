import { statSync } from 'node:fs';
import { userSurroundings } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import type { ContentSettings } from '../content-search/io/settings.ts';
import type { OpenedContentTool } from '../content-search/io/tool.ts';
import type { ToolKeeper } from '../content-search/io/tool-keeper.ts';
import type { ContentProcessFacts } from '../content-search/process/client.ts';
import { limitSearches } from '../content-search/search/limit-searches.ts';
import { userSettings } from '../content-search/settings/content-settings.ts';
import { createServerSearch, type ServerSearch } from '../content-search/settings/server-search.ts';
import { WritError } from '../core/errors.ts';
import { sequential } from '../core/lifecycle.ts';
import type { ContentSearch, IndexService } from '../core/ports/index.ts';
import { countContentSearches, logBackendStderr } from '../observability/content-search.ts';
import { LOG_LINES } from '../observability/log-lines.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { GlobalOptions, LocalSearchOptions } from '../surfaces/cli/services.ts';
import type { ServerContentSearch } from '../surfaces/mcp/services.ts';
import { type Caller, type CliRedis, type CliSettings, readSettings } from './cli/settings.ts';
import type { RoleContext } from './roles/context.ts';

/** The `Search` tool of a role, counted and logged. */
export function contentService({ config, log }: Pick<RoleContext, 'config' | 'log'>, metrics: Metrics): ServerSearch {
  const service = createServerSearch(config, userSurroundings(), {
    onReady(facts) {
      metrics.inc('writ_content_process_starts_total', { confined: facts.landlock > 0 ? 'yes' : 'no' });
      log[facts.problem === undefined ? 'info' : 'warn']({ ...facts } satisfies ContentProcessFacts, LOG_LINES.contentReady.message);
    },
    onLoss(why) {
      metrics.inc('writ_content_process_losses_total', { why });
      log.warn({ why }, LOG_LINES.contentProcess.message);
    },
  });
  return service.refusal === undefined ? { ...service, ...logBackendStderr(countContentSearches(service, metrics), log) } : service;
}

/** The `Search` tool as servers have it, for one command. */
export async function openServerSearch(config: Config): Promise<ServerContentSearch & AsyncDisposable> {
  const { refusal, search, parts } = limitSearches(createServerSearch(config, userSurroundings()), config.tools.search.max_concurrent);
  const running = sequential(parts);
  await running.start();
  return { refusal, search, [Symbol.asyncDispose]: () => running.stop() };
}

/**
 * The `Search` tool with the rights of the user; what it has open of an index is given up with it. Throws WritError
 * ExecutionFailed when there is no backend.
 */
export async function openLocalSearch(
  options: GlobalOptions,
  search: LocalSearchOptions,
  caller: Caller = {},
  keeper?: ToolKeeper<OpenedContentTool>,
): Promise<ContentSearch & Disposable> {
  const settings = userSettings(readSettings(options, caller).loaded.config, userSurroundings(caller.env), search);
  const first = !search.fuzzy && settings.fuzzyFallback === undefined;
  // The tool is heavy: servers have it in a process of its own.
  const { openContentTool } = await import('../content-search/io/tool.ts');
  const setup = { confined: false, workingDirectory: search.workingDirectory, backend: search.backend, first };
  const open = async () => {
    const opened = await openContentTool(settings, setup);
    if (opened.problem !== undefined) throw new WritError('ExecutionFailed', opened.problem);
    return opened;
  };
  // Without an index there is nothing that would be dear to open.
  const { tool, close } = await (keeper === undefined || settings.index.mode === 'off' ? open() : keeper.open(placesKey([settings, setup], settings), open));
  return { search: (request, signal) => tool.search(request, signal), [Symbol.dispose]: close };
}

/** What was opened for one place is good for no other that has got its name. */
function placesKey(words: object, { allowedRoots, indexRoots }: Pick<ContentSettings, 'allowedRoots' | 'indexRoots'>): string {
  return JSON.stringify([words, [...allowedRoots, ...indexRoots].map(placeState)]);
}

function placeState(root: string): string {
  try {
    const { dev, ino } = statSync(root, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}

/** The indexes of this pool, for one command. Looking at them needs no Redis. */
export async function openContentIndex({ loaded: { config } }: CliSettings, redis: CliRedis): Promise<IndexService> {
  const { indexService } = await import('../content-search/settings/index-service.ts');
  return indexService({
    surroundings: userSurroundings(),
    config,
    lane: {
      async submit(task) {
        const [{ createIndexLane }, { memoryGuard }, { randomHex }] = await Promise.all([
          import('../../queues/index-lane.ts'),
          import('./redis-target.ts'),
          import('../adapters/crypto/random-hex.ts'),
        ]);
        const connection = await redis.connection('producer');
        await using lane = createIndexLane({ pool: config.pool.id, connection, newId: randomHex, guard: memoryGuard(config, connection) });
        await lane.start();
        return await lane.submit(task);
      },
    },
  });
}
