import type { Config } from '../../../../config/schema.ts';
import { problemOf } from '../../../adapters/search-process/scope-problem.ts';
import type { SEARCH_KIND, SearchCapability } from '../../../contracts/index.ts';
import type { SearchScope } from '../../../core/ports/index.ts';
import type { ScopeCatalog, ScopeState } from '../../../core/ports/search-scopes.ts';
import { searchScopes } from '../../search/scopes.ts';

/** The scopes of the settings, and whether this account could search them from this host. */
export function openScopes(config: Config): ScopeCatalog {
  const scopes = new Map(Object.entries(searchScopes(config)));
  return {
    capabilityOf(id) {
      const scope = scopes.get(id);
      return scope && CAPABILITY_OF[scope.kind];
    },
    look: () => Promise.all([...scopes].map(stateOf)),
  };
}

const CAPABILITY_OF = {
  files: 'SEARCH_FILES',
  emails: 'SEARCH_EMAILS',
  datasets: 'SEARCH_DATASETS',
} satisfies { readonly [C in SearchCapability as (typeof SEARCH_KIND)[C]]: C };

async function stateOf([id, scope]: readonly [string, SearchScope]): Promise<ScopeState> {
  return { id, kind: scope.kind, capability: CAPABILITY_OF[scope.kind], source: sourceOf(scope), place: placeOf(scope), problem: await problemOf(scope) };
}

function sourceOf(scope: SearchScope): string {
  switch (scope.kind) {
    case 'files':
      return 'directory';
    case 'emails':
      return scope.store;
    case 'datasets':
      return scope.format;
  }
}

function placeOf(scope: SearchScope): string {
  if (scope.kind === 'datasets' && scope.table !== '') return `${scope.path} (${scope.table})`;
  if (!('host' in scope)) return scope.path;
  return `${scope.mailbox} of ${scope.user} on ${scope.host}:${scope.port}`;
}
