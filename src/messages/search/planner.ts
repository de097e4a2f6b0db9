import type { EngineMatch, EngineOrder, EngineRequest } from '../../core/ports/message-engine.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { scopeOf } from '../visibility/scope.ts';
import { filtersOf, hasFilter } from './facets.ts';
import { likeTerms } from './like-terms.ts';
import type { NormalQuery } from './query.ts';
import { sanitizeFtsQuery } from './sanitize.ts';

/** What a query comes to before an engine is asked: something to match, or a reason why nothing can be found. */
export type Plan = { readonly empty: false; readonly match: EngineMatch } | { readonly empty: true; readonly reason: string };

/** message-search.md 2.2 and notes 3.3: words, else substrings, else filters alone, else nothing. */
export function planOf(query: NormalQuery): Plan {
  if (query.text === '') return withoutText(query);
  const expression = sanitizeFtsQuery(query.text);
  if (expression !== undefined) return { empty: false, match: { by: 'words', expression, text: query.text } };
  const match = substringMatch(query.text);
  return match === undefined ? { empty: true, reason: 'invalid_query: the text has no word to look for' } : { empty: false, match };
}

/** What is looked for in the tables when the engine cannot take the expression; `undefined`: no word is long enough. */
export function substringMatch(text: string): EngineMatch | undefined {
  const terms = likeTerms(text);
  return terms.length === 0 ? undefined : { by: 'substrings', terms };
}

function withoutText(query: NormalQuery): Plan {
  if (query.doc_kind === 'message' && hasFilter(filtersOf(query))) return { empty: false, match: { by: 'filters' } };
  return { empty: true, reason: 'invalid_query: neither text nor filter' };
}

/** Only words have a relevance; everything else is newest first, or for agents and projects by id. */
export function orderOf(query: NormalQuery, match: EngineMatch): EngineOrder {
  if (query.ranking === 'recency') return 'newest';
  if (match.by === 'words') return 'relevance';
  return query.doc_kind === 'message' ? 'newest' : 'id';
}

/** What an engine is asked for a query, whichever page of it. */
export type PageRequest = Omit<EngineRequest, 'after' | 'list'>;

export function engineRequestOf(query: NormalQuery, viewer: SearchViewer, match: EngineMatch, nowUs: number): PageRequest {
  return {
    kind: query.doc_kind,
    match,
    filters: filtersOf(query),
    scope: scopeOf(query, viewer),
    order: orderOf(query, match),
    min_score: query.min_score,
    offset: query.offset,
    limit: query.limit,
    count: query.explain,
    now_us: nowUs,
    fusion: { rrf_k: query.rrf_k, rerank_top_k: query.rerank_top_k },
  };
}
