import type { QueryAssistance, SearchAuditEntry, SearchQuery, SearchResponse } from '../../contracts/index.ts';
import type { EngineMatch, EngineName, MessageEngine } from '../../core/ports/message-engine.ts';
import type { ReadRecipients } from '../../core/ports/message-recipients.ts';
import type { MessageSearchEvent, SearchViewer } from '../../core/ports/message-search.ts';
import { auditEntry, scopeOf } from '../visibility/scope.ts';
import { assist } from './assistance.ts';
import { decodeCursor } from './cursor.ts';
import { type Course, diagnosticsOf, downgradeOf, explainOf, type Fault, methodOf, micros } from './explain.ts';
import { facetsOf, filtersOf } from './facets.ts';
import { guarded } from './guarded.ts';
import { guide } from './guidance.ts';
import { type KillSwitch, type Missing, type Route, routeOf } from './modes.ts';
import { createOrderLists, type OrderLists } from './order-lists.ts';
import { type BesidePage, besidePage, NOTHING_BESIDE } from './page-extras.ts';
import { type Page, pageOf, tokenAfter } from './pages.ts';
import { orderOf, planOf, substrings } from './planner.ts';
import { type NormalQuery, normalQuery } from './query.ts';
import { resultOf } from './results.ts';
import { compareShadow } from './shadow.ts';

/** How long an order is kept for the pages that follow, and how many of them. */
const LIST_LIFE_MS = 600_000;
const MAX_LISTS = 64;

const NOT_THERE: Missing = {
  tantivy: 'the engine is not installed',
  semantic: 'there are no vectors',
  hybrid: 'there are no vectors',
  hybrid_rerank: 'there is no reranker',
};

export interface MessageSearchParts {
  /** The engines that there are. FTS5 always is, also when its database is not: then it says so for each search. */
  readonly engines: { readonly fts5: MessageEngine } & Partial<Readonly<Record<EngineName, MessageEngine>>>;
  /** Why others are not, where more is known than that. */
  readonly absent?: Missing | undefined;
  /** Who got the messages of a page. */
  readonly recipients: ReadRecipients;
  readonly killSwitch: KillSwitch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  readonly emit: (event: MessageSearchEvent) => void;
}

export interface MessageSearchService {
  /** Answers always (message-search.md 9.2). */
  search(query: SearchQuery, viewer: SearchViewer): Promise<SearchResponse>;
}

/** Message search over engines (message-search.md 2 to 9). */
export function createMessageSearchService(parts: MessageSearchParts): MessageSearchService {
  const lists = createOrderLists({ most: MAX_LISTS, lifeMs: LIST_LIFE_MS, now: parts.elapsed });
  return {
    async search(asked, viewer) {
      const started = parts.elapsed();
      const query = normalQuery(asked);
      const route = wayOf(parts, query);
      const plan = planOf(query);
      const tried = plan.empty ? nothing(plan.reason) : await tryEngines(parts, lists, { query, viewer, route, match: plan.match });
      const course = await courseOf(parts, { query, viewer, route, tried, started });
      tell(parts, course, tried.page);
      return responseOf(course, tried, viewer);
    },
  };
}

/** Which engines are asked. The one that began an order goes on with it. */
function wayOf({ engines, absent, killSwitch }: MessageSearchParts, query: NormalQuery): Route {
  const began = query.cursor === null ? undefined : decodeCursor(query.cursor)?.engine;
  const missing: Missing = Object.fromEntries(
    Object.entries({ ...NOT_THERE, ...absent }).flatMap(([name, why]) => {
      const engine = engines[name as EngineName];
      const reason = engine === undefined ? why : engine.absent?.(began === engine.tag);
      return reason === undefined ? [] : [[name, reason]];
    }),
  );
  return routeOf(query.mode, killSwitch, missing, began);
}

interface Wish {
  readonly query: NormalQuery;
  readonly viewer: SearchViewer;
  readonly route: Route;
  readonly match: EngineMatch;
}

/** What came of asking the engines. */
interface Tried {
  readonly engine: MessageEngine | null;
  readonly match: EngineMatch | null;
  readonly page: Page | null;
  readonly beside: BesidePage;
  readonly faults: readonly Fault[];
  readonly notes: readonly string[];
  readonly engineMs: number;
}

function nothing(reason: string): Tried {
  return { engine: null, match: null, page: null, beside: NOTHING_BESIDE, faults: [], notes: [reason], engineMs: 0 };
}

/** One engine after the other, the tables at the end, until one answers. */
async function tryEngines(parts: MessageSearchParts, lists: OrderLists, wish: Wish): Promise<Tried> {
  const faults: Fault[] = [];
  for (const { engine, match } of attemptsOf(parts, wish)) {
    // A database that is not there is not there for its tables either.
    if (faults.some((fault) => fault.engine === engine.name && fault.kind === 'index_not_ready')) continue;
    const started = parts.elapsed();
    const ask = askOf(parts, wish, match);
    const page = await guarded(() => pageOf(engine, ask, wish.query.cursor, lists));
    if (page.ok) {
      const engineMs = parts.elapsed() - started;
      const beside = await besidePage(page.value, ask, { engine, recipients: parts.recipients, viewer: wish.viewer });
      return { engine, match, page: page.value, beside, faults, notes: [...page.value.notes, ...beside.faults.map((why) => `left out: ${why}`)], engineMs };
    }
    faults.push({ engine: engine.name, ...page.error });
  }
  return { ...nothing('no engine could answer'), faults };
}

function attemptsOf({ engines }: MessageSearchParts, { route, match }: Wish): { engine: MessageEngine; match: EngineMatch }[] {
  if (match.by !== 'words') return [{ engine: engines.fts5, match }];
  const asked = route.engines.flatMap((name) => engines[name] ?? []).map((engine) => ({ engine, match }));
  const last = substrings(match.text);
  return last === undefined ? asked : [...asked, { engine: engines.fts5, match: last.match }];
}

function askOf({ now }: MessageSearchParts, { query, viewer }: Wish, match: EngineMatch) {
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
    now_us: now() * 1000,
    fusion: { rrf_k: query.rrf_k, rerank_top_k: query.rerank_top_k },
  };
}

type Way = Omit<Wish, 'match'> & { readonly tried: Tried; readonly started: number };

async function courseOf(parts: MessageSearchParts, { query, viewer, route, tried, started }: Way): Promise<Course> {
  const { engine, match, page, faults, notes, engineMs } = tried;
  const withoutShadow = route.shadow
    ? parts.engines.tantivy === undefined
      ? (parts.absent?.tantivy ?? NOT_THERE.tantivy)
      : parts.engines.tantivy.absent?.(false)
    : undefined;
  const missingShadow = withoutShadow === undefined ? [] : [`shadow: nothing was compared: ${withoutShadow}`];
  const course: Course = {
    query,
    route,
    served: engine === null || match === null || page === null ? null : { engine, match, sql: page.sql },
    facets: facetsOf(filtersOf(query), scopeOf(query, viewer), query, page?.cursorUsed ?? false),
    denied: page?.denied ?? 0,
    redacted: page?.rows.filter(({ visible }) => !visible).length ?? 0,
    matched: page?.matched ?? null,
    cursorInvalidated: page?.cursorInvalidated ?? false,
    orderChanged: page?.orderChanged ?? false,
    faults,
    notes: [...notes, ...missingShadow],
    totalUs: micros(parts.elapsed() - started),
    engineUs: micros(engineMs),
    spent: page?.spent ?? {},
    shadow: undefined,
  };
  const comparison = shadowOf(parts, course, { query, viewer, route }, page);
  // Whoever asks how the answer was made waits for the comparison; nobody else does.
  return query.explain ? { ...course, shadow: await comparison } : course;
}

/** Asks Tantivy the same and says how the first pages compare. Its failure concerns nobody. */
async function shadowOf(parts: MessageSearchParts, { served }: Course, wish: Omit<Wish, 'match'>, page: Page | null) {
  const shadow = parts.engines.tantivy;
  if (!wish.route.shadow || shadow === undefined || shadow.absent?.(false) !== undefined || served?.match.by !== 'words' || page === null || page.cursorUsed)
    return undefined;
  const found = await guarded(async () => shadow.find({ ...askOf(parts, { ...wish, match: served.match }, served.match), after: null, list: 0 }));
  if (!found.ok) {
    parts.emit({ event: 'search.engine.error', engine: shadow.name, message: found.error.message });
    return undefined;
  }
  const ids = (rows: Page['rows']) => rows.map(({ id }) => id);
  const comparison = compareShadow(ids(page.rows), ids(found.value.rows), { serving: served.engine.name, shadow: shadow.name });
  parts.emit({ event: 'search.shadow.comparison', comparison });
  return comparison;
}

function tell({ emit }: MessageSearchParts, course: Course, page: Page | null): void {
  const downgrade = downgradeOf(course);
  if (downgrade !== undefined) emit({ event: 'search.mode.downgrade', requested: course.route.requested, ...downgrade });
  if (course.cursorInvalidated) {
    const engine = course.served?.engine.tag ?? 'none';
    emit({ event: 'search.cursor.invalidated', cursor_engine: /:e([a-z0-9]+)$/.exec(course.query.cursor ?? '')?.[1] ?? 'none', current_engine: engine });
  }
  for (const { engine, kind, message } of course.faults) if (kind !== 'invalid_query') emit({ event: 'search.engine.error', engine, message });
  emit({
    event: 'search.done',
    kind: course.query.doc_kind,
    method: methodOf(course),
    engine: course.served?.engine.name ?? 'none',
    results: page?.rows.length ?? 0,
    total_us: course.totalUs,
    degraded: diagnosticsOf(course) !== undefined,
  });
}

function responseOf(course: Course, { engine, match, page, beside }: Tried, viewer: SearchViewer): SearchResponse {
  const { query } = course;
  const rows = page?.rows ?? [];
  const last = rows.at(-1);
  const mayJudge = viewer === null && query.scope === 'unrestricted';
  const assistance: QueryAssistance | undefined = assist(query.text);
  const diagnostics = diagnosticsOf(course);
  const audit = viewer === null ? auditOf(query, rows, beside) : [];
  return {
    results: match === null ? [] : rows.map((row) => resultOf(row, query, match, { mode: engine?.mode ?? 'lexical', mayJudge, recipients: beside.recipients })),
    ...(page?.more === true && last !== undefined && engine !== null && match !== null && { next_cursor: tokenAfter(last, orderOf(query, match), engine) }),
    ...(query.explain && { explain: explainOf(course) }),
    ...(assistance !== undefined && { assistance }),
    ...(rows.length === 0 && { guidance: guide(query, assistance) }),
    ...(diagnostics !== undefined && { diagnostics }),
    ...(audit.length > 0 && { audit }),
  };
}

/** What is withheld: on this page redacted, on the first one left out. */
function auditOf(query: NormalQuery, rows: Page['rows'], { denied }: BesidePage): SearchAuditEntry[] {
  const redacted = rows.filter(({ visible }) => !visible).map((row) => auditEntry('redacted', query, row));
  return [...redacted, ...denied.map((row) => auditEntry('denied', query, row))];
}
