import type { Config } from '../../../config/schema.ts';

/** Why servers refuse every content search, with the lines to add; `undefined` when they do not. */
export function contentRefusal({ tools: { search, sandbox } }: Pick<Config, 'tools'>): string | undefined {
  const missing = [
    ...(search.enabled ? [] : ['`enabled = true` to [tools.search]']),
    ...(sandbox.allowed_roots.length > 0 ? [] : ['`allowed_roots = ["/path/to/search"]` to [tools.sandbox]']),
  ];
  return missing.length === 0 ? undefined : `content search is not allowed here; to allow it, add ${missing.join(' and ')} in the settings of the server`;
}

/** Whether there is a queue of index maintenance, and a host to be missed. */
export function wantsIndex({ tools }: Pick<Config, 'tools'>): boolean {
  return tools.search.index_mode !== 'off';
}

/** Why there is nothing for an index host to do; undefined when there is. */
export function indexRefusal(config: Pick<Config, 'tools'>): string | undefined {
  return wantsIndex(config) ? contentRefusal(config) : 'index_mode is off in [tools.search]';
}
