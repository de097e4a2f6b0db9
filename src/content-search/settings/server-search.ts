import type { Config } from '../../../config/schema.ts';
import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { ContentSearch } from '../../core/ports/index.ts';
import { compileDenied } from '../enumerate/denied.ts';
import { type ContentProcessOptions, createContentProcess } from '../process/client.ts';
import { contentProcessArgument, contentProcessEntry } from '../process/entry.ts';
import { contentSettings, type SearchSurroundings } from './content-settings.ts';
import { contentRefusal } from './refusals.ts';

/** The `Search` tool of a server. */
export interface ServerSearch extends ContentSearch {
  /** Why every search is refused, with the lines to add; then there is no process, and `search` rejects. */
  readonly refusal: string | undefined;
  /** The process that searches, to be started and stopped with the server. */
  readonly parts: readonly Lifecycle[];
}

/**
 * The tool in a process of its own that is confined to the allowed roots of the settings; no process where the settings
 * refuse every search.
 *
 * @throws Error for a denied pattern that fits no path: it would protect nothing
 */
export function createServerSearch(
  config: Pick<Config, 'tools'>,
  surroundings: SearchSurroundings,
  listeners: Pick<ContentProcessOptions, 'onReady' | 'onLoss'> = {},
): ServerSearch {
  const refusal = contentRefusal(config);
  if (refusal !== undefined) return { refusal, parts: [], search: () => Promise.reject(new WritError('SEARCH_NOT_ALLOWED', refusal)) };
  compileDenied(config.tools.sandbox.denied_patterns);
  const settings = contentSettings(config, surroundings);
  const process = createContentProcess({
    entry: contentProcessEntry(),
    args: [contentProcessArgument({ settings, landlock: 0 })],
    roots: settings.allowedRoots,
    defaultTimeoutMs: config.tools.search.default_timeout_ms,
    ...listeners,
  });
  return { refusal: undefined, parts: [process], search: process.search };
}
