import type { SearchResponse } from '../../contracts/index.ts';
import type { CursorKeys } from '../../core/ports/message-cursor-keys.ts';
import type { MakeExcerpts } from '../../core/ports/message-excerpts.ts';
import type { AskedSearch, MessageSearchEvent, SearchViewer } from '../../core/ports/message-search.ts';
import { scopeOf } from '../visibility/scope.ts';
import { findRows } from './attempts.ts';
import { needsSeal, openedCursor, plainCursor, sealedCursor } from './cursor-seal.ts';
import { createOrderLists } from './order-lists.ts';
import { type AskRecipients, pageExtras } from './pages.ts';
import { chooseEngines, type EngineSetup, planOf } from './planner.ts';
import { type NormalQuery, normalQuery } from './query.ts';
import { diagnosticsOf, responseOf } from './response.ts';
import { downgradeOf, methodOf, micros, type RunContext, type SearchRequest, type SearchTrace } from './search-trace.ts';
import { startShadow } from './shadow.ts';

/** How long an order is kept for the pages that follow, and how many of them. */
const LIST_LIFE_MS = 600_000;
const MAX_LISTS = 64;

export interface MessageSearchParts extends EngineSetup {
  /** Who got the messages of a page. */
  readonly recipients: AskRecipients;
  /** What of the texts of a page is shown, for who asks for it. */
  readonly excerpts: MakeExcerpts;
  /** What cursors of those who may not see everything are authenticated with. */
  readonly cursorKeys: CursorKeys;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** When the one search of this service began by `elapsed`, if it was under way before it came here. */
  readonly began?: number;
  readonly emit: (event: MessageSearchEvent) => void;
}

export interface MessageSearchService {
  /** Answers always (message-search.md 9.2). */
  search(query: AskedSearch, viewer: SearchViewer): Promise<SearchResponse>;
}

/**
 * Message search over engines (message-search.md 2 to 9). One record goes through all steps, and each adds to it: (1) the
 * normal query, (2) the engines to ask and what they match, (3) the page of the first engine that answers, (4) what stands
 * beside it, (5) a comparison with Tantivy, (6) events, (7) the response.
 */
export function createMessageSearchService(parts: MessageSearchParts): MessageSearchService {
  const lists = createOrderLists({ max: MAX_LISTS, lifeMs: LIST_LIFE_MS, now: parts.elapsed });
  return {
    async search(asked, viewer) {
      const normal = normalQuery(asked);
      const request: SearchRequest = {
        started: parts.began ?? parts.elapsed(),
        asked: normal.cursor,
        ...admitted(normal, viewer, parts.cursorKeys),
        viewer,
      };
      const run: RunContext = { ...request, route: chooseEngines(parts, request.query), plan: planOf(request.query) };
      const attempt = await findRows(parts, lists, run);
      const extras = await pageExtras(attempt.served, viewer, { ...parts, excerpts: run.query.snippets ? parts.excerpts : undefined });
      const totalUs = micros(parts.elapsed() - run.started);
      const shadow = startShadow(parts, run.route, attempt.served);
      // Whoever asks how the answer was made waits for the comparison; nobody else does.
      const comparison = run.query.explain ? await shadow.comparison : undefined;
      const trace: SearchTrace = { ...run, ...attempt, extras, totalUs, shadow: { missing: shadow.missing, comparison } };
      report(parts, trace);
      return responseOf(trace);
    },
  };
}

/** Step 1: a cursor is good for those who may see everything, and else if we made it for this reader; then it is what it was before its MAC. */
function admitted(query: NormalQuery, viewer: SearchViewer, keys: CursorKeys): Pick<SearchRequest, 'query' | 'admission' | 'seal'> {
  const owner = { kind: query.doc_kind, scope: scopeOf(query, viewer) };
  const seal = (token: string): string => (needsSeal(owner) ? sealedCursor(token, owner, keys) : token);
  if (query.cursor === null || query.cursor === '') return { query, admission: [], seal };
  const cursor = needsSeal(owner) ? openedCursor(query.cursor, owner, keys) : plainCursor(query.cursor);
  return cursor === undefined ? { query: { ...query, cursor: null }, admission: [NOT_OURS], seal } : { query: { ...query, cursor }, admission: [], seal };
}

const NOT_OURS = 'the cursor was not made for this reader: this is the first page';

/** Step 6: events, for logs and metrics (message-search.md 8). */
function report({ emit }: MessageSearchParts, trace: SearchTrace): void {
  const { query, route, served, faults, totalUs } = trace;
  const downgrade = downgradeOf(trace);
  if (downgrade !== undefined) emit({ event: 'search.mode.downgrade', requested: route.requested, ...downgrade });
  if (served?.page.cursorInvalidated === true) {
    const cursorEngine = /:e([a-z0-9]+)(?::r[a-z])?$/.exec(query.cursor ?? '')?.[1] ?? 'none';
    emit({ event: 'search.cursor.invalidated', cursor_engine: cursorEngine, current_engine: served.engine.tag });
  }
  for (const { engine, kind, message } of faults) if (kind !== 'invalid_query') emit({ event: 'search.engine.error', engine, message });
  emit({
    event: 'search.done',
    kind: query.doc_kind,
    method: methodOf(trace),
    engine: served?.engine.name ?? 'none',
    results: served?.page.rows.length ?? 0,
    total_us: totalUs,
    degraded: diagnosticsOf(trace) !== undefined,
  });
}
