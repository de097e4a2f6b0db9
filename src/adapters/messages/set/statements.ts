import type { EngineAsk, EngineSet } from '../../../core/ports/message-engine.ts';
import { type Eyes, eyesOf } from './eyes.ts';
import { KINDS, type KindTables } from './kinds.ts';
import { joined, NOTHING, type Sql, sql } from './sql.ts';
import { containsAll, filterConditions, where } from './where.ts';

/**
 * One statement answers a page: what it says of the whole set comes first, as a row of its own, then the rows of the page.
 *
 *   hit     every row that matches, with its cost: a raw score of which less is better
 *   span    their number, their best and their worst
 *   scale   costs are snapped to multiples of 1 / f, f a power of two: 30 bits below the largest one; then what scores 1 and 0
 *   ranked  the front of the order, `list` rows or as many as the page needs
 */
export interface Place {
  /** Time, where the order is newest first. */
  readonly at: number | null;
  readonly id: bigint;
  readonly score: number;
}

/** Where ids and raw scores come from; the filters and the scope of a set are laid over it. */
export interface Ranking {
  /** A table, called `f`. */
  readonly from: Sql;
  readonly id: Sql;
  /** The cost of a row, less is better: a score of which more is better with its sign turned. */
  readonly cost: Sql;
  /** What makes a raw score of a cost: 1, or -1 where more is better. */
  readonly sign: 1 | -1;
  readonly match: readonly Sql[];
  /** Whether every id is that of a row that is there; else the rows are looked up. */
  readonly current: boolean;
  readonly scale: ScoreScale;
}

/** What scores 1 and what scores 0, as costs; `null`: the best, or the worst, row of the set. */
export interface ScoreScale {
  readonly best: number | null;
  readonly worst: number | null;
}

/** Header: [0, matched, denied, f, lowest key, highest key, key of the anchor, rows in the list, ids, keys, version, ...]; rows: [1, id, key, ...]. `null`: nothing is ranked. */
export function pageStatement(ask: EngineAsk, after: Place | null, ranking: Ranking | null): Sql {
  const kind = KINDS[ask.kind];
  const eyes = eyesOf(ask, ask.now_us);
  return ranking === null ? listed(ask, kind, eyes, after) : ranked(ask, ranking, kind, eyes, after);
}

/** Ids of what may be seen of a set, by filters and scope alone, in no order. */
export function candidatesStatement(set: Omit<EngineSet, 'match'> & { now_us: number }): Sql {
  const kind = KINDS[set.kind];
  const eyes = eyesOf(set, set.now_us);
  const conditions = [...filterConditions({ ...set, match: { by: 'filters' } }, kind, eyes), ...visibleOnly(set, eyes)];
  return sql`${withTables(eyes.tables)}SELECT m.id FROM ${kind.table} m${where(conditions)}`;
}

/** Rows of a set by their ids, whatever their text is by now. */
export function rowsStatement(set: EngineSet & { ids: readonly number[]; now_us: number }): Sql {
  const kind = KINDS[set.kind];
  const eyes = eyesOf(set, set.now_us);
  const conditions = [...filterConditions(set, kind, eyes), ...visibleOnly(set, eyes)];
  return sql`${withTables(eyes.tables)}SELECT 1, m.id, NULL, ${columns(kind, eyes)}
    FROM json_each(${JSON.stringify(set.ids)}) p CROSS JOIN ${kind.table} m ON m.id = p.value ${kind.sender}${where(conditions)}`;
}

/** Time of a row, where it still is. */
export function timeStatement({ kind }: EngineSet, id: bigint): Sql {
  return sql`SELECT ${KINDS[kind].time} FROM ${KINDS[kind].table} m WHERE m.id = ${id}`;
}

function ranked(ask: EngineAsk, ranking: Ranking, kind: KindTables, eyes: Eyes, after: Place | null): Sql {
  const newest = ask.order === 'newest';
  const conditions = filterConditions(ask, kind, eyes);
  const needsRow = !ranking.current || conditions.length > 0 || eyes.sees !== undefined || newest;
  const judged = eyes.sees === undefined ? NOTHING : sql`, ${eyes.sees} AS ok`;
  const seen = eyes.sees === undefined || ask.scope.keep_denied ? NOTHING : sql` FILTER (WHERE ok)`;
  const only = eyes.sees === undefined || ask.scope.keep_denied ? NOTHING : sql` WHERE ok`;
  const key = sql`round(hit.raw * scale.f)`;
  const order = newest ? sql`at DESC, id` : sql`k, id`;
  const rows = ask.offset + ask.limit + 1;
  const best = ranking.scale.best === null ? sql`lo` : sql`${ranking.scale.best}`;
  const worst = ranking.scale.worst === null ? sql`hi` : sql`${ranking.scale.worst}`;
  return sql`WITH ${listOf(eyes.tables)}hit AS MATERIALIZED (
      SELECT ${ranking.id} AS id, ${ranking.cost} AS raw${newest ? sql`, ${kind.time} AS at` : NOTHING}${judged}
      FROM ${ranking.from} f${needsRow ? sql` CROSS JOIN ${kind.table} m ON m.id = ${ranking.id}` : NOTHING}
      ${where([...ranking.match, ...conditions])}),
    span AS MATERIALIZED (SELECT count(*)${seen} AS n, ${eyes.sees === undefined ? sql`0` : sql`count(*) FILTER (WHERE NOT ok)`} AS denied,
      min(raw)${seen} AS lo, max(raw)${seen} AS hi FROM hit),
    scale AS MATERIALIZED (SELECT n, denied, f, round(${best} * f) AS k0, round(${worst} * f) AS k1
      FROM (SELECT *, coalesce(pow(2.0, 30 - floor(log2(max(-${best}, -${worst})))), 1.0) AS f FROM span)),
    ${after === null || newest ? NOTHING : anchor(key, only, after)}
    ranked AS MATERIALIZED (SELECT hit.id AS id, ${key} AS k${newest ? sql`, hit.at AS at` : NOTHING}
      FROM ${after === null || newest ? NOTHING : sql`anchor CROSS JOIN `}scale CROSS JOIN hit${where([
        ...(only === NOTHING ? [] : [sql`hit.ok`]),
        ...(ask.min_score === null ? [] : [sql`${scoreOf(key)} >= ${ask.min_score}`]),
        ...(after === null ? [] : [newest ? isOlder(sql`hit.at`, sql`hit.id`, after) : isBehind(key, after)]),
      ])}
      ORDER BY ${order} LIMIT ${Math.max(ask.list, rows)})
    SELECT 0, n, denied, f, k0, k1, ${after === null || newest ? sql`NULL` : sql`(SELECT k FROM anchor)`}, (SELECT count(*) FROM ranked),
      ${ask.list > 0 ? sql`(SELECT group_concat(id) FROM ranked), (SELECT group_concat(CAST(k AS INTEGER)) FROM ranked)` : sql`NULL, NULL`}, ${VERSION}, NULL, NULL
    FROM scale
    UNION ALL ${pageRows(ask, kind, eyes, sql`p.k`)}`;
}

/** Where the last row of the page before stands now; one row, NULL when it is gone. */
function anchor(key: Sql, only: Sql, { id }: Place): Sql {
  const found = sql`SELECT ${key} FROM hit, scale${only === NOTHING ? sql` WHERE` : sql`${only} AND`} hit.id = ${id}`;
  return sql`anchor AS MATERIALIZED (SELECT (${found}) AS k),`;
}

/** Behind the anchor's row, or where it is gone behind its score. */
function isBehind(key: Sql, { id, score }: Place): Sql {
  const own = scoreOf(key);
  return sql`CASE WHEN anchor.k IS NOT NULL THEN ${key} > anchor.k OR (${key} = anchor.k AND hit.id > ${id})
    ELSE ${own} < ${score} OR (${own} = ${score} AND hit.id > ${id}) END`;
}

function isOlder(time: Sql, row: Sql, { at, id }: Place): Sql {
  return sql`(${time} < ${at} OR (${time} = ${at} AND ${row} > ${id}))`;
}

/** 0 for the worst of the set, 1 for the best, in multiples of 2^-40. */
function scoreOf(key: Sql): Sql {
  return sql`CASE WHEN scale.k1 = scale.k0 THEN 1.0 ELSE round((scale.k1 - ${key}) / (scale.k1 - scale.k0) * 1099511627776.0) / 1099511627776.0 END`;
}

/** Rows without a relevance: substrings and filters. */
function listed(ask: EngineAsk, kind: KindTables, eyes: Eyes, after: Place | null): Sql {
  const newest = ask.order === 'newest';
  const set = [...(ask.match.by === 'substrings' ? containsAll(ask.match.terms, kind) : []), ...filterConditions(ask, kind, eyes)];
  const page = [
    ...set,
    ...visibleOnly(ask, eyes),
    // Every score here is 1.
    ...(ask.min_score === null ? [] : [sql`1.0 >= ${ask.min_score}`]),
    ...(after === null ? [] : [newest ? isOlder(kind.time, sql`m.id`, after) : sql`m.id > ${after.id}`]),
  ];
  const count = (conditions: readonly Sql[]): Sql => (ask.count ? sql`(SELECT count(*) FROM ${kind.table} m${where(conditions)})` : sql`NULL`);
  const denied = eyes.sees === undefined ? sql`0` : count([...set, sql`NOT ${eyes.sees}`]);
  return sql`WITH ${listOf(eyes.tables)}ranked AS MATERIALIZED (SELECT m.id AS id, ${newest ? kind.time : sql`NULL`} AS at
      FROM ${kind.table} m${where(page)} ORDER BY ${newest ? sql`${kind.time} DESC, ` : NOTHING}m.id LIMIT ${ask.offset + ask.limit + 1})
    SELECT 0, ${count([...set, ...visibleOnly(ask, eyes)])}, ${denied}, 1.0, 0.0, 0.0, NULL, (SELECT count(*) FROM ranked), NULL, NULL, ${VERSION}, NULL, NULL
    UNION ALL ${pageRows(ask, kind, eyes, sql`0.0`)}`;
}

const VERSION = sql`(SELECT value FROM meta WHERE key = 'data_version')`;

/** In the order of `ranked`: the outer loop of a CROSS JOIN keeps it. */
function pageRows(ask: EngineAsk, kind: KindTables, eyes: Eyes, key: Sql): Sql {
  return sql`SELECT 1, m.id, ${key}, ${columns(kind, eyes)}
    FROM (SELECT * FROM ranked LIMIT ${ask.limit + 1} OFFSET ${ask.offset}) p CROSS JOIN ${kind.table} m ON m.id = p.id ${kind.sender}`;
}

/** project_id, title, body, created_ts, importance, ack_required, thread_id, from_agent, visible, reason */
function columns(kind: KindTables, eyes: Eyes): Sql {
  return sql`${kind.project}, ${kind.title}, ${kind.body}, ${kind.time}, ${kind.rest}, ${eyes.sees ?? sql`1`}, ${eyes.reason}`;
}

function visibleOnly({ scope }: Pick<EngineSet, 'scope'>, { sees }: Eyes): Sql[] {
  return sees === undefined || scope.keep_denied ? [] : [sees];
}

function listOf(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? NOTHING : sql`${joined(tables, ', ')}, `;
}

function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? NOTHING : sql`WITH ${joined(tables, ', ')} `;
}
