import type { Check } from '../../../core/ports/diagnosis.ts';
import type { ScopeCatalog, ScopeState } from '../../../core/ports/search-scopes.ts';
import { examine, type Finding, warning, well } from './finding.ts';

/** What may be searched. A scope that is away is no fault of this installation: its searches answer SCOPE_UNAVAILABLE. */
export async function examineSearch(scopes: ScopeCatalog): Promise<Check[]> {
  const states = await scopes.look();
  return examine('Search', [
    ...states.map((state) => ({ title: `scope ${state.id}`, look: () => findingOf(state), todo: '' })),
    ...(states.length > 0 ? [] : [{ title: 'scopes', look: () => well('none, so every search is refused (docs/search-executor.md)'), todo: '' }]),
  ]);
}

function findingOf({ id, capability, source, place, problem }: ScopeState): Finding {
  if (problem === undefined) return well(`${capability} in ${place} (${source})`);
  return warning(`${place}: ${problem}`, `correct search.scopes.${id}, or what it names`);
}
