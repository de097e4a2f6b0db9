import type Database from 'better-sqlite3';
import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { Importance } from '../../../contracts/index.ts';
import type {
  EngineAnswer,
  EngineFacets,
  EngineFound,
  EngineRequest,
  EngineRow,
  EngineSet,
  ScopeReason,
  SearchError,
} from '../../../core/ports/message-engine.ts';
import { storeFault } from '../../store/fault.ts';
import type { Sql, SqlValue } from '../../visibility/sql.ts';
import { visibilityOf } from '../../visibility/visibility.ts';
import { collectHits, type Ordered, orderOf, scoreOf } from './order.ts';
import {
  candidatesStatement,
  countStatement,
  facetsStatement,
  HAS_TRIGRAMS,
  hitsStatement,
  listedStatement,
  type PageStart,
  pageStatement,
  type Ranking,
  rowsStatement,
  timeStatement,
  VERSION,
} from './statements.ts';

const MAX_STATEMENTS = 256;

/**
 * Sets of rows by their filters and their scope, for every engine: who ranks says ids and scores, and everything else of a
 * page (normal scores, order, cursors, counts, the list for later pages) comes from here.
 */
export interface SetReader {
  /** What the work comes to: no database is `index_not_ready`, and what it throws is judged. */
  answered<T>(set: EngineSet, work: () => T): EngineAnswer<T>;
  /** A page; `null`: nothing is ranked, the set is its substrings or its filters. Throws what SQLite throws. */
  page(request: EngineRequest, ranking: Ranking | null): EngineFound;
  /** What `MessageEngine.rows` answers. */
  rows(set: EngineSet & { readonly ids: readonly number[]; readonly now_us: number }): EngineRow[];
  /** Ids of what may be seen of the set, by filters and scope alone; with `keep_denied` also of what may not. In no order. */
  candidates(set: Omit<EngineSet, 'match'> & { readonly now_us: number }): number[];
  /** What a statement answers, all of one state of the data. */
  inTransaction<T>(work: (all: (statement: Sql) => Cell[][]) => T): T;
}

/**
 * A statement is prepared once for each form of a question.
 *
 * @param database the database, open for reading; throws while there is none. It stays its owner's.
 * @param faultOf what an error of the work means; without it `engine_error`
 */
export function createSetReader(database: () => SqliteDatabase, faultOf: (set: EngineSet, error: unknown) => SearchError = engineError): SetReader {
  const prepared = new Map<string, Database.Statement<SqlValue[], Cell[]>>();
  let inOne: { readonly db: SqliteDatabase; readonly run: <T>(work: () => T) => T } | undefined;

  function all({ text, params }: Sql): Cell[][] {
    let statement = prepared.get(text);
    if (statement === undefined) {
      statement = database().prepare<SqlValue[], Cell[]>(text).raw(true);
      if (prepared.size >= MAX_STATEMENTS) prepared.clear();
      prepared.set(text, statement);
    }
    return statement.all(...params);
  }

  /** All statements of the work see one state of the data. */
  function inTransaction<T>(work: () => T): T {
    const db = database();
    if (inOne?.db !== db) inOne = { db, run: db.transaction((inner: () => unknown) => inner()) as <T>(inner: () => T) => T };
    return inOne.run(work);
  }

  return {
    answered(set, work) {
      try {
        database();
      } catch (error) {
        return { ok: false, error: storeFault('index_not_ready', error) };
      }
      try {
        return { ok: true, value: work() };
      } catch (error) {
        return { ok: false, error: faultOf(set, error) };
      }
    },
    page: (request, ranking) => inTransaction(() => find({ all, database }, request, ranking)),
    rows: (set) => all(rowsStatement(set)).map((row) => rowOf(row, UNRANKED)),
    candidates: (set) => all(candidatesStatement(set)).map(([id]) => Number(id)),
    inTransaction: (work) => inTransaction(() => work(all)),
  };
}

export type Cell = string | number | null;

interface Asking {
  readonly all: (statement: Sql) => Cell[][];
  readonly database: () => SqliteDatabase;
}

function engineError(_set: EngineSet, error: unknown): SearchError {
  return storeFault('engine_error', error);
}

function find(asking: Asking, request: EngineRequest, ranking: Ranking | null): EngineFound {
  const place = pageStartOf(asking, request);
  const front = ranking === null ? listed(asking, request, place.after) : ranked(asking, request, ranking, place.after);
  const { ids, keys, lowest, highest } = front;
  const resumed = place.resumed === 'ranked' ? resumedAt(request, front.anchor) : place.resumed;
  const unit = (ranking?.sign ?? 1) / front.f;
  const onPage = resumed === 'lost' ? [] : ids.slice(request.offset, request.offset + request.limit);
  const rows = onPage.length === 0 ? [] : asking.all(pageStatement({ ...request, ids: onPage }));
  return {
    rows: rows.map((row, index) => rowOf(row, { key: keys[request.offset + index] ?? 0, unit, lowest, highest })),
    more: ids.length > request.offset + request.limit,
    matched: front.matched,
    denied: front.denied,
    resumed,
    sql: front.sql,
    version: Number(asking.all(VERSION)[0]?.[0]),
    ...(request.facets === true && request.after === null && { facets: facetsOf(asking, request, ranking) }),
    list: ranking === null ? null : listOf(request, front, unit),
  };
}

/** The front of a ranked order, for the pages to come. */
export function listOf(
  request: EngineRequest,
  { ids, keys, lowest, highest }: Pick<Ordered, 'ids' | 'keys' | 'lowest' | 'highest'>,
  unit: number,
): EngineFound['list'] {
  if (request.list === 0 || ids.length === 0) return null;
  const whole = ids.length < Math.max(request.list, request.offset + request.limit + 1);
  return { ids: ids.join(','), keys: keys.join(','), unit, lowest_key: lowest, highest_key: highest, whole };
}

/** What an order begins with; nobody counted where `matched` is null. */
type Front = Omit<Ordered, 'matched' | 'denied'> & { readonly matched: number | null; readonly denied: number | null; readonly sql: string };

function ranked({ all, database }: Asking, request: EngineRequest, ranking: Ranking, after: PageStart | null): Front {
  const statement = hitsStatement(request, ranking);
  const hits = collectHits(database(), () => all(statement));
  return { ...orderOf(hits, request, ranking.scale, after), sql: statement.text };
}

function listed({ all }: Asking, request: EngineRequest, after: PageStart | null): Front {
  const hasTrigrams = hasTrigramsFor(all, request);
  const statement = listedStatement(request, after, hasTrigrams);
  const [matched = null, denied = null] = request.count
    ? (all(countStatement(request, hasTrigrams))[0] ?? [])
    : [null, visibilityOf(request, request.now_us).sees === undefined ? 0 : null];
  const ids = all(statement).map(([id]) => Number(id));
  return { ids, keys: [], f: 1, lowest: 0, highest: 0, anchor: null, matched: numberOrNull(matched), denied: numberOrNull(denied), sql: statement.text };
}

function facetsOf({ all }: Asking, request: EngineRequest, ranking: Ranking | null): EngineFacets {
  const rows = all(facetsStatement(request, ranking, hasTrigramsFor(all, request)));
  const of = (facet: string) =>
    rows.flatMap(([name, value, count]) => (name === facet && value !== null ? [{ value: value ?? '', count: Number(count) }] : []));
  const texts = (facet: string) => of(facet).map(({ value, count }) => ({ value: String(value), count }));
  return {
    project_id: of('project_id').map(({ value, count }) => ({ value: Number(value), count })),
    importance: texts('importance'),
    from_agent: texts('from_agent'),
  };
}

function hasTrigramsFor(all: Asking['all'], { kind, match }: EngineRequest): boolean {
  return kind === 'message' && match.by === 'substrings' && all(HAS_TRIGRAMS).length > 0;
}

interface Anchored {
  readonly after: PageStart | null;
  /** `ranked`: the order itself tells. */
  readonly resumed: EngineFound['resumed'] | 'ranked';
}

/** Where the page begins. Times are looked up first: a row that is still there stands where it stands now. */
function pageStartOf({ all }: Asking, request: EngineRequest): Anchored {
  if (request.after === null) return { after: null, resumed: 'no' };
  const { id, score, tagged } = request.after;
  const order = { id, score, at: null };
  if (request.order === 'id') return { after: order, resumed: 'row' };
  if (request.order === 'relevance') return { after: { ...order, score: Number.isFinite(score) ? score : -1 }, resumed: 'ranked' };
  const [row] = all(timeStatement(request, id));
  if (row !== undefined) return { after: { ...order, at: numberOrNull(row[0]) }, resumed: 'row' };
  const at = timeIn(score, tagged);
  return at === undefined ? { after: null, resumed: 'lost' } : { after: { ...order, at }, resumed: 'score' };
}

/** The time that a token names; `undefined`: none. Tokens of version 2 hold a raw score, or the time with or without a minus in front; ours hold the time. */
export function timeIn(score: number, tagged: boolean): number | undefined {
  if (!Number.isSafeInteger(score)) return undefined;
  if (tagged) return score;
  return Math.abs(score) > 1 ? Math.abs(score) : undefined;
}

/** How `after` was found in a ranked order. @param anchor key of its row; `null`: that is gone */
export function resumedAt({ after }: EngineRequest, anchor: number | null): EngineFound['resumed'] {
  if (anchor !== null) return 'row';
  return after !== null && after.score >= 0 && after.score <= 1 ? 'score' : 'lost';
}

/** What makes scores of a row's key. */
export interface Scale {
  readonly key: number;
  readonly unit: number;
  readonly lowest: number;
  readonly highest: number;
}

export const UNRANKED: Scale = { key: 0, unit: 1, lowest: 0, highest: 0 };

/** A row of id, project, title, body, time, importance, ack_required, thread, sender, visible and reason. */
export function rowOf(cells: readonly Cell[], { key, unit, lowest, highest }: Scale): EngineRow {
  const [id, project, title, body, time, importance, ack, thread, from, visible, reason] = cells;
  return {
    id: Number(id),
    project_id: numberOrNull(project),
    title: String(title),
    body: String(body),
    importance: textOrNull(importance) as Importance | null,
    ack_required: typeof ack === 'number' ? ack === 1 : null,
    created_ts: numberOrNull(time),
    thread_id: textOrNull(thread),
    from_agent: textOrNull(from),
    visible: visible === 1,
    // Written by the statement itself.
    reason: reason as ScopeReason,
    score: scoreOf(key, lowest, highest),
    // 0, never -0.
    raw: key * unit + 0,
  };
}

function numberOrNull(cell: Cell | undefined): number | null {
  return typeof cell === 'number' ? cell : null;
}

function textOrNull(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}
