import { type Check, examine, type Finding, passed, warning } from './findings.ts';
import type { ScopeCatalog, ScopeState } from './ports/search-scopes.ts';

/** What may be searched. A scope that is away is no fault of this installation: its searches answer SCOPE_UNAVAILABLE. */
export async function examineScopes(scopes: ScopeCatalog): Promise<Check[]> {
  const states = await scopes.look();
  return examine('Search', [
    ...states.map((state) => ({ title: `scope ${state.id}`, look: () => findingOf(state), todo: '' })),
    ...(states.length > 0 ? [] : [{ title: 'scopes', look: () => passed('none, so every search is refused (docs/search-executor.md)'), todo: '' }]),
  ]);
}

function findingOf({ id, capability, source, place, problem }: ScopeState): Finding {
  if (problem === undefined) return passed(`${capability} in ${place} (${source})`);
  return warning(`${place}: ${problem}`, `correct search.scopes.${id}, or what it names`);
}
