import type { ExplainTiming, PlanMethod, QueryExplain, SearchMode, ShadowComparison } from '../../contracts/index.ts';
import type { EngineMatch, EngineName, EngineSpent } from '../../core/ports/message-engine.ts';
import type { SearchViewer } from '../../core/ports/message-search.ts';
import { scopeLabel, scopeOf } from '../visibility/scope.ts';
import type { EngineFault } from './engine-fault.ts';
import { factsOf, isLexical } from './engines.ts';
import { facetsOf, filtersOf } from './facets.ts';
import type { PageExtras, ServedPage } from './pages.ts';
import type { Plan, Route } from './planner.ts';
import type { NormalQuery } from './query.ts';
import type { RetryStep } from './retry.ts';

/** Who searches for what, and since when by the clock of the search. */
export interface SearchRequest {
  readonly query: NormalQuery;
  readonly viewer: SearchViewer;
  readonly started: number;
  /** The cursor as it came. */
  readonly asked: string | null;
  /** What is to be said of the cursor that came with the query. */
  readonly admission: readonly string[];
  /** Makes a token of this reader's of one that names a place. */
  readonly seal: (token: string) => string;
}

/** A request with what it comes to: the engines to ask, and what they are asked to match. */
export interface RunContext extends SearchRequest {
  readonly route: Route;
  readonly plan: Plan;
}

/** What came of asking the engines, one after the other. */
export interface EngineAttempt {
  /** `null` when nothing was asked, or nothing answered. */
  readonly served: ServedPage | null;
  /** Errors of engines that were asked and did not answer. */
  readonly faults: readonly EngineFault[];
  readonly notes: readonly string[];
  /** Milliseconds of the engine that answered. */
  readonly engineMs: number;
  /** What was looked for instead of the text, where nothing matches that. */
  readonly retry?: RetryStep;
}

/** Everything that happened on the way to an answer. */
export interface SearchTrace extends RunContext, EngineAttempt {
  readonly extras: PageExtras;
  readonly totalUs: number;
  /** How Tantivy compares, and why it could not be compared. */
  readonly shadow: { readonly missing: string | undefined; readonly comparison: ShadowComparison | undefined };
}

export function methodOf({ served }: Pick<SearchTrace, 'served'>): PlanMethod {
  if (served === null) return 'empty';
  const { engine, request } = served;
  const methods = { words: engine.name, substrings: 'like_fallback', filters: 'filter_only' } satisfies Record<EngineMatch['by'], PlanMethod>;
  return methods[request.match.by];
}

/** Why the mode that was asked for is not the one that was used; `undefined` when it is. */
export function downgradeOf({ served, route, faults }: SearchTrace): { readonly actual: string; readonly reason: string } | undefined {
  const actual = served === null ? 'lexical' : factsOf(served.engine.name).mode;
  if (actual === route.requested && route.reasons.length === 0 && faults.length === 0) return undefined;
  // A fault of FTS5, and a text that an engine of words cannot read, lead to other words or the tables, which is no other mode; other faults do.
  const isOther = ({ engine, kind }: EngineFault): boolean => engine !== 'fts5' && !(kind === 'invalid_query' && isLexical(engine));
  const failed = faults.filter(isOther).map(({ engine, message }) => `${engine}: ${message}`);
  const reasons = [...route.reasons, ...failed];
  if (actual === route.requested && reasons.length === 0) return undefined;
  return { actual, reason: reasons.join('; ') || 'a search without words has nothing to rank' };
}

/** Pages end where the pools do, which no page size moves. */
const POOL_NOTES = {
  lexical: [],
  semantic: ['pages end with the 1000 nearest rows'],
  hybrid: ['pages end with the best 1000 rows by words and the 1000 nearest ones'],
  hybrid_rerank: ['pages end with the best 1000 rows by words and the 1000 nearest ones'],
} satisfies Record<SearchMode, readonly string[]>;

/** How it was searched (message-search.md 5). */
export function explainOf(trace: SearchTrace): QueryExplain {
  const { query, viewer, route, served, faults, extras, shadow } = trace;
  const { match } = served?.request ?? {};
  const { page } = served ?? {};
  const facets = facetsOf(filtersOf(query), scopeOf(query, viewer), query, page?.cursorUsed ?? false);
  const downgrade = downgradeOf(trace);
  const notes = [
    ...trace.notes,
    ...(trace.retry === undefined ? [] : [`nothing matches the text; looked for instead (${trace.retry.by}): ${trace.retry.text}`]),
    ...(match?.by === 'words' && match.also !== undefined ? [`also looked for as one name: ${match.also}`] : []),
    ...extras.faults.map((why) => `left out: ${why}`),
    ...(shadow.missing === undefined ? [] : [`shadow: nothing was compared: ${shadow.missing}`]),
    ...(served !== null && match?.by === 'words' ? POOL_NOTES[served.engine.mode] : []),
    ...faults.map(({ engine, kind, message }) => `${kind}: ${engine}: ${message}`),
  ];
  return {
    method: methodOf(trace),
    normalized_query: match?.by === 'words' ? askedOf(match, served?.engine.name) : null,
    used_like_fallback: match?.by === 'substrings',
    facet_count: facets.length,
    facets_applied: facets,
    sql: page?.sql.replace(/\s+/g, ' ').trim() ?? '',
    scope_policy: scopeLabel(query.scope),
    denied_count: page?.denied ?? 0,
    redacted_count: page?.rows.filter(({ visible }) => !visible).length ?? 0,
    requested_mode: route.requested,
    actual_mode: downgrade?.actual ?? route.requested,
    ...(served !== null && { engine: served.engine.name }),
    mode_downgraded: downgrade !== undefined,
    ...(downgrade !== undefined && { downgrade_reason: downgrade.reason }),
    timing: timingOf(trace),
    cursor_invalidated: page?.cursorInvalidated ?? false,
    ...(shadow.comparison !== undefined && { shadow: shadow.comparison }),
    ...(typeof page?.matched === 'number' && { matched_count: page.matched }),
    ...(page?.orderChanged === true && { order_changed: true }),
    ...(notes.length > 0 && { notes }),
  };
}

function askedOf({ expression, with_letters }: Extract<EngineMatch, { by: 'words' }>, engine: EngineName | undefined): string {
  return engine !== undefined && factsOf(engine).letters ? (with_letters ?? expression) : expression;
}

/** Of the engine that answered: its stages, or, where it has none, its whole time as that of its kind. */
function timingOf({ served, totalUs, engineMs }: SearchTrace): ExplainTiming {
  const mode = served?.engine.mode;
  const { lexical, vector, fusion, rerank }: EngineSpent = served?.page.spent ?? {};
  return {
    total_us: totalUs,
    ...(mode === 'lexical' && { lexical_us: micros(engineMs) }),
    ...(mode === 'semantic' && { vector_us: micros(engineMs) }),
    ...(lexical !== undefined && { lexical_us: micros(lexical) }),
    ...(vector !== undefined && { vector_us: micros(vector) }),
    ...(fusion !== undefined && { fusion_us: micros(fusion) }),
    ...(rerank !== undefined && { rerank_us: micros(rerank) }),
  };
}

/** Whole microseconds, of which no step of a clock makes less than none. */
export function micros(ms: number): number {
  return Math.max(0, Math.round(ms * 1000));
}
