import { userSurroundings } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import { compileDenied } from '../../content-search/enumerate/denied.ts';
import { createContentProcess } from '../../content-search/process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../../content-search/process/entry.ts';
import { contentSettings } from '../../content-search/settings/content-settings.ts';
import { contentRefusal } from '../../content-search/settings/refusals.ts';
import { WritError } from '../../core/errors.ts';
import type { ServerContentSearch } from '../../surfaces/mcp/services.ts';
import { limited } from '../content/service.ts';

/** The `Search` tool as servers have it, confined to the allowed roots of the settings; its process starts with the first search. */
export async function openServerSearch(config: Config): Promise<ServerContentSearch & AsyncDisposable> {
  const refusal = contentRefusal(config);
  if (refusal !== undefined) {
    return { refusal, search: () => Promise.reject(new WritError('SEARCH_NOT_ALLOWED', refusal)), [Symbol.asyncDispose]: async () => undefined };
  }
  compileDenied(config.tools.sandbox.denied_patterns);
  const process = createContentProcess({
    entry: contentProcessEntry(),
    args: [contentProcessArgument({ settings: contentSettings(config, userSurroundings()), landlock: 0 })],
    defaultTimeoutMs: config.tools.search.default_timeout_ms,
    onReady: () => undefined,
    onLoss: () => undefined,
  });
  await process.start();
  const { search } = limited(process, config.tools.search.max_concurrent);
  return { refusal: undefined, search, [Symbol.asyncDispose]: () => process.stop() };
}
