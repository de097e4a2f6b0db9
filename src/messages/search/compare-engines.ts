import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { MessageSearch } from '../../core/ports/message-search.ts';
import type { ShadowQueries, ShadowReport } from '../../core/ports/shadow-report.ts';
import { compareShadow } from './shadow.ts';
import { type ShadowTrial, shadowReport } from './shadow-report.ts';

/** One database, searched with one engine each: FTS5, and the one that is named. */
export interface ComparedSearches {
  readonly name: 'tantivy' | 'postgresql';
  readonly serving: Pick<MessageSearch, 'search'>;
  readonly shadow: Pick<MessageSearch, 'search'>;
}

const SERVING = 'fts5';

/** Searches every query in both engines, one after the other, as an operator, and says how they agree. */
export async function compareEngines(searches: ComparedSearches, { texts, signal, ...query }: ShadowQueries): Promise<ShadowReport> {
  // Databases and indexes are opened by the first search, whose time would say nothing.
  const [first] = texts;
  if (first !== undefined) await trialOf({ ...query, text: first }, searches);
  const trials: ShadowTrial[] = [];
  for (const text of texts) {
    if (signal.aborted) break;
    trials.push(await trialOf({ ...query, text }, searches));
  }
  return shadowReport(trials);
}

async function trialOf(wanted: SearchQuery, { name, serving, shadow }: ComparedSearches): Promise<ShadowTrial> {
  const query = { ...wanted, explain: true };
  const served = await serving.search(query, null);
  const shadowed = await shadow.search(query, null);
  const irregular = served.explain?.method !== 'fts5';
  const error = irregular ? undefined : faultOf(shadowed, name);
  const [ids, shadowIds] = [idsOf(served), idsOf(shadowed)];
  return {
    text: query.text,
    serving: { ids, ms: msOf(served) },
    shadow: error === undefined ? { ids: shadowIds, ms: msOf(shadowed) } : { error },
    irregular,
    comparison: irregular || error !== undefined ? null : compareShadow(ids, shadowIds, { serving: SERVING, shadow: name }),
  };
}

/** Another engine answered. */
function faultOf({ explain }: SearchResponse, name: string): string | undefined {
  return explain?.engine === name ? undefined : (explain?.downgrade_reason ?? 'it did not answer');
}

const idsOf = ({ results }: SearchResponse): readonly number[] => results.map(({ id }) => id);
const msOf = ({ explain }: SearchResponse): number => (explain?.timing?.total_us ?? 0) / 1000;
