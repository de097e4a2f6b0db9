import type Database from 'better-sqlite3';
import type { Importance } from '../../../contracts/index.ts';
import { messageOf } from '../../../core/errors.ts';
import type { EngineAnswer, EngineAsk, EngineFound, EngineRow, EngineSet, ScopeReason, SearchError } from '../../../core/ports/message-engine.ts';
import type { SqliteDatabase } from '../../sqlite/open.ts';
import type { Sql, SqlValue } from './sql.ts';
import { candidatesStatement, type Place, pageStatement, type Ranking, rowsStatement, timeStatement } from './statements.ts';

const STATEMENTS_MOST = 256;
const GRID = 2 ** 40;

/**
 * Sets of rows by their filters and their scope, for every engine: who ranks says ids and scores, and everything else of a
 * page (normal scores, order, cursors, counts, the list for later pages) comes from here.
 */
export interface SetReader {
  /** What the work comes to: no database is `index_not_ready`, and what it throws is judged. */
  answered<T>(set: EngineSet, work: () => T): EngineAnswer<T>;
  /** A page; `null`: nothing is ranked, the set is its substrings or its filters. Throws what SQLite throws. */
  page(ask: EngineAsk, ranking: Ranking | null): EngineFound;
  /** What `MessageEngine.rows` answers. */
  rows(set: EngineSet & { readonly ids: readonly number[]; readonly now_us: number }): EngineRow[];
  /** Ids of what may be seen of the set, by filters and scope alone; with `keep_denied` also of what may not. In no order. */
  candidates(set: Omit<EngineSet, 'match'> & { readonly now_us: number }): number[];
}

/**
 * A statement is prepared once for each form of a question.
 *
 * @param database the database, open for reading; throws while there is none. It stays its owner's.
 * @param faultOf what an error of the work means; without it `engine_error`
 */
export function createSetReader(database: () => SqliteDatabase, faultOf: (set: EngineSet, error: unknown) => SearchError = engineError): SetReader {
  const prepared = new Map<string, Database.Statement<SqlValue[], Cell[]>>();

  function all({ text, params }: Sql): Cell[][] {
    let statement = prepared.get(text);
    if (statement === undefined) {
      statement = database().prepare<SqlValue[], Cell[]>(text).raw(true);
      if (prepared.size >= STATEMENTS_MOST) prepared.clear();
      prepared.set(text, statement);
    }
    return statement.all(...params);
  }

  return {
    answered(set, work) {
      try {
        database();
      } catch (error) {
        return { ok: false, error: { kind: 'index_not_ready', message: messageOf(error) } };
      }
      try {
        return { ok: true, value: work() };
      } catch (error) {
        return { ok: false, error: faultOf(set, error) };
      }
    },
    page: (ask, ranking) => find(all, ask, ranking),
    rows: (set) => all(rowsStatement(set)).map((row) => rowOf(row, UNRANKED)),
    candidates: (set) => all(candidatesStatement(set)).map(([id]) => Number(id)),
  };
}

type Cell = string | number | null;
type Ask = (statement: Sql) => Cell[][];

function engineError(_set: EngineSet, error: unknown): SearchError {
  return { kind: 'engine_error', message: messageOf(error) };
}

function find(all: Ask, ask: EngineAsk, ranking: Ranking | null): EngineFound {
  const place = placeOf(all, ask);
  const statement = pageStatement(ask, place.after, ranking);
  const [header = [], ...found] = all(statement);
  const [, matched, denied, f, lowest, highest, anchorKey, listed, ids, keys, version] = header;
  const scale: Scale = { unit: (ranking?.sign ?? 1) / Number(f ?? 1), lowest: Number(lowest), highest: Number(highest) };
  const rows = found.map((row) => rowOf(row, scale));
  const resumed = place.resumed === 'ranked' ? resumedAt(ask, anchorKey ?? null) : place.resumed;
  const asked = Math.max(ask.list, ask.offset + ask.limit + 1);
  return {
    rows: resumed === 'lost' ? [] : rows.slice(0, ask.limit),
    more: rows.length > ask.limit,
    matched: numberOrNull(matched),
    denied: numberOrNull(denied),
    resumed,
    sql: statement.text,
    version: Number(version),
    list:
      ask.list === 0 || typeof ids !== 'string' || typeof keys !== 'string'
        ? null
        : { ids, keys, unit: scale.unit, lowest_key: scale.lowest, highest_key: scale.highest, whole: Number(listed) < asked },
  };
}

interface Anchored {
  readonly after: Place | null;
  /** `ranked`: the statement itself tells. */
  readonly resumed: EngineFound['resumed'] | 'ranked';
}

/** Where the page begins. Times are looked up first: a row that is still there stands where it stands now. */
function placeOf(all: Ask, ask: EngineAsk): Anchored {
  if (ask.after === null) return { after: null, resumed: 'no' };
  const { id, score, tagged } = ask.after;
  const order = { id, score, at: null };
  if (ask.order === 'id') return { after: order, resumed: 'row' };
  if (ask.order === 'relevance') return { after: { ...order, score: Number.isFinite(score) ? score : -1 }, resumed: 'ranked' };
  const [row] = all(timeStatement(ask, id));
  if (row !== undefined) return { after: { ...order, at: numberOrNull(row[0]) }, resumed: 'row' };
  const at = timeIn(score, tagged);
  return at === undefined ? { after: null, resumed: 'lost' } : { after: { ...order, at }, resumed: 'score' };
}

/** Tokens of version 2 hold a raw score, or the time with or without a minus in front; ours hold the time. */
function timeIn(score: number, tagged: boolean): number | undefined {
  if (!Number.isSafeInteger(score)) return undefined;
  if (tagged) return score;
  return Math.abs(score) > 1 ? Math.abs(score) : undefined;
}

function resumedAt({ after }: EngineAsk, anchorKey: Cell): EngineFound['resumed'] {
  if (anchorKey !== null) return 'row';
  return after !== null && after.score >= 0 && after.score <= 1 ? 'score' : 'lost';
}

interface Scale {
  readonly unit: number;
  readonly lowest: number;
  readonly highest: number;
}

const UNRANKED: Scale = { unit: 1, lowest: 0, highest: 0 };

function rowOf(cells: readonly Cell[], { unit, lowest, highest }: Scale): EngineRow {
  const [, id, key, project, title, body, time, importance, ack, thread, from, visible, reason] = cells;
  const range = highest - lowest;
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
    score: range === 0 ? 1 : Math.round(((highest - Number(key)) / range) * GRID) / GRID,
    // 0, never -0.
    raw: Number(key) * unit + 0,
  };
}

function numberOrNull(cell: Cell | undefined): number | null {
  return typeof cell === 'number' ? cell : null;
}

function textOrNull(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}
