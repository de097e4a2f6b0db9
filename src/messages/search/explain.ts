import type { ExplainTiming, PlanMethod, QueryExplain, SearchDiagnostics, SearchMode, ShadowComparison } from '../../contracts/index.ts';
import type { EngineMatch, EngineSpent, MessageEngine } from '../../core/ports/message-engine.ts';
import { scopeLabel } from '../visibility/scope.ts';
import { modeOf, type Route } from './modes.ts';
import type { NormalQuery } from './query.ts';

/** What happened on the way to an answer. */
export interface Course {
  readonly query: NormalQuery;
  readonly route: Route;
  /** The engine that answered, and with what; `null` when nothing was asked, or nothing answered. */
  readonly served: { readonly engine: MessageEngine; readonly match: EngineMatch; readonly sql: string } | null;
  readonly facets: readonly string[];
  readonly denied: number;
  readonly redacted: number;
  readonly matched: number | null;
  readonly cursorInvalidated: boolean;
  readonly orderChanged: boolean;
  /** Errors of engines that were asked and did not answer. */
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
  readonly totalUs: number;
  readonly engineUs: number;
  /** Milliseconds of the stages of an engine that has some. */
  readonly spent: EngineSpent;
  readonly shadow: ShadowComparison | undefined;
}

export interface Fault {
  readonly engine: string;
  readonly kind: 'invalid_query' | 'index_not_ready' | 'engine_error' | 'feature_unavailable';
  readonly message: string;
  readonly stage?: 'rerank_timeout' | 'rerank_failed';
}

export function methodOf(course: Pick<Course, 'served'>): PlanMethod {
  if (course.served === null) return 'empty';
  const { engine, match } = course.served;
  const methods = { words: engine.name, substrings: 'like_fallback', filters: 'filter_only' } satisfies Record<EngineMatch['by'], PlanMethod>;
  return methods[match.by];
}

/** Why the mode that was asked for is not the one that was used; `undefined` when it is. */
export function downgradeOf({
  served,
  route,
  faults,
}: Pick<Course, 'served' | 'route' | 'faults'>): { readonly actual: string; readonly reason: string } | undefined {
  const actual = served === null ? 'lexical' : modeOf(served.engine.name);
  if (actual === route.requested && route.reasons.length === 0 && faults.length === 0) return undefined;
  // A fault of FTS5 leads to its tables, which is no other mode; one of any engine before it is.
  const failed = faults.filter(({ engine }) => engine !== 'fts5').map(({ engine, message }) => `${engine}: ${message}`);
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

/** message-search.md 5. */
export function explainOf(course: Course): QueryExplain {
  const { query, route, served, facets, faults, notes, shadow } = course;
  const downgrade = downgradeOf(course);
  const ends = served?.match.by === 'words' ? POOL_NOTES[served.engine.mode] : [];
  const said = [...notes, ...ends, ...faults.map(({ engine, kind, message }) => `${kind}: ${engine}: ${message}`)];
  return {
    method: methodOf(course),
    normalized_query: served?.match.by === 'words' ? served.match.expression : null,
    used_like_fallback: served?.match.by === 'substrings',
    facet_count: facets.length,
    facets_applied: [...facets],
    sql: served?.sql.replace(/\s+/g, ' ').trim() ?? '',
    scope_policy: scopeLabel(query.scope),
    denied_count: course.denied,
    redacted_count: course.redacted,
    requested_mode: route.requested,
    actual_mode: downgrade?.actual ?? route.requested,
    ...(served !== null && { engine: served.engine.name }),
    mode_downgraded: downgrade !== undefined,
    ...(downgrade !== undefined && { downgrade_reason: downgrade.reason }),
    timing: timingOf(course),
    cursor_invalidated: course.cursorInvalidated,
    ...(shadow !== undefined && { shadow }),
    ...(course.matched !== null && { matched_count: course.matched }),
    ...(course.orderChanged && { order_changed: true }),
    ...(said.length > 0 && { notes: said }),
  };
}

/** Of the engine that answered: its stages, or, where it has none, its whole time as that of its kind. */
function timingOf({ served, totalUs, engineUs, spent }: Course): ExplainTiming {
  const mode = served?.engine.mode;
  const { lexical, vector, fusion, rerank } = spent;
  return {
    total_us: totalUs,
    ...(mode === 'lexical' && { lexical_us: engineUs }),
    ...(mode === 'semantic' && { vector_us: engineUs }),
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

/** What automation may branch on when a search is not what was asked for; `undefined` when it is. The same query over the same data says the same. */
export function diagnosticsOf(course: Course): SearchDiagnostics | undefined {
  const { faults, served } = course;
  const downgrade = downgradeOf(course);
  if (faults.length === 0 && downgrade === undefined) return undefined;
  const notReady = faults.find(({ kind }) => kind === 'index_not_ready');
  const failed = faults.some(({ kind }) => kind === 'engine_error');
  const rerank = faults.find(({ stage }) => stage !== undefined)?.stage;
  const hints: readonly (readonly [string, boolean, string])[] = [
    ['rerank_timeout', rerank === 'rerank_timeout', 'The reranker was too slow: the order is that of mode hybrid.'],
    ['rerank_failed', rerank === 'rerank_failed', 'The reranker failed: the order is that of mode hybrid.'],
    [
      'search_index_not_ready',
      notReady !== undefined,
      'See search_index_reason. Without a database: import messages (writ messages import), or wait for the index.',
    ],
    ['engine_error', failed, 'An engine failed: see the log, and writ doctor.'],
    ['mode_downgrade', downgrade !== undefined, 'Ask for mode lexical, or provide what the mode needs.'],
    ['like_fallback', faults.length > 0 && served?.match.by === 'substrings', 'Write words, or a phrase in double quotes.'],
  ];
  const applying = hints.filter(([, applies]) => applies);
  const [first] = applying;
  if (first === undefined) return undefined;
  return {
    degraded: true,
    fallback_mode: first[0],
    ...(rerank === 'rerank_timeout' && { timeout_stage: 'rerank' }),
    ...(notReady !== undefined && { search_index_state: 'not_ready', search_index_reason: notReady.message }),
    remediation_hints: applying.map(([, , hint]) => hint),
  };
}
