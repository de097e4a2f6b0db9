import type { SearchResponse } from '../../contracts/index.ts';
import type { CursorKeys } from '../../core/ports/message-cursor-keys.ts';
import type { EngineAnswer, EngineName, MessageEngine, SearchError } from '../../core/ports/message-engine.ts';
import type { AskedSearch, SearchViewer } from '../../core/ports/message-search.ts';
import { factsOf } from './engines.ts';
import { createMessageSearchService, type MessageSearchParts } from './service.ts';

/** An engine that answers everything with this error: it stands where one should be that cannot be asked, so that the search goes on to the next one and says why. */
export function failingEngine(name: EngineName, error: SearchError): MessageEngine {
  const failing = (): EngineAnswer<never> => ({ ok: false, error });
  const { tag, mode } = factsOf(name);
  return { name, tag, mode, find: failing, rows: failing };
}

/**
 * The answer of a search that could not be asked: nothing is found, and explain, diagnostics and events say why, as if every
 * engine had failed with this error.
 * What it took until it failed is part of its time (`began`; message-search.md 5).
 */
export function errorResponse(
  query: AskedSearch,
  viewer: SearchViewer,
  error: SearchError,
  parts: Omit<MessageSearchParts, 'engines' | 'recipients' | 'excerpts' | 'cursorKeys'>,
): Promise<SearchResponse> {
  const engines = { fts5: failingEngine('fts5', error) };
  return createMessageSearchService({ ...parts, engines, recipients: () => new Map(), excerpts: () => new Map(), cursorKeys: NO_KEYS }).search(query, viewer);
}

/** Nothing is found, so no token is made. */
const NO_KEYS: CursorKeys = { newest: () => undefined, withId: () => undefined };
