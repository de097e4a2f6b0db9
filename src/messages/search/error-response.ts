import type { SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { SearchError } from '../../core/ports/message-engine.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { failingEngine } from './failing-engine.ts';
import { createMessageSearchService, type MessageSearchParts } from './service.ts';

/**
 * The answer of a search that could not be asked: nothing is found, and explain, diagnostics and events say why, as if every
 * engine had failed with this error.
 */
export function errorResponse(
  query: SearchQuery,
  viewer: SearchViewer,
  error: SearchError,
  parts: Omit<MessageSearchParts, 'engines' | 'recipients'>,
): Promise<SearchResponse> {
  return createMessageSearchService({ ...parts, engines: { fts5: failingEngine('fts5', error) }, recipients: () => new Map() }).search(query, viewer);
}
