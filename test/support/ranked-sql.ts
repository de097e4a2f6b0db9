import type { EngineRequest } from '../../src/core/ports/message-engine.ts';
import { filterConditions, type PageStart, type Ranking, where } from '../../src/messages/engines/result-set/statements.ts';
import { KINDS, type KindTables } from '../../src/messages/visibility/kinds.ts';
import { joined, NOTHING, type Sql, sql } from '../../src/messages/visibility/sql.ts';
import { type Visibility, visibilityOf } from '../../src/messages/visibility/visibility.ts';

/**
 * A ranked page in one statement of SQLite alone: what `src/messages/engines/result-set/order.ts` does in a thread of Node is done
 * by SQLite here. The tests compare the two number by number, and the benches their times.
 *
 *   hit     every row that matches, with its cost: a raw score of which less is better
 *   span    their number, their best and their worst
 *   scale   costs are snapped to multiples of 1 / f, f a power of two: 30 bits below the largest one; then what scores 1 and 0
 *   ranked  the front of the order, `list` rows or as many as the page needs
 *
 * Header: [0, matched, denied, f, lowest key, highest key, key of the anchor, rows in the list, ids, keys, version, ...]; rows:
 * [1, id, key, ...].
 */
export function rankedSql(ask: EngineRequest, ranking: Ranking, after: PageStart | null): Sql {
  const kind = KINDS[ask.kind];
  const visibility = visibilityOf(ask, ask.now_us);
  const newest = ask.order === 'newest';
  const conditions = filterConditions(ask, kind, visibility);
  const needsRow = !ranking.current || conditions.length > 0 || visibility.sees !== undefined || newest;
  const judged = visibility.sees === undefined ? NOTHING : sql`, ${visibility.sees} AS ok`;
  const seen = visibility.sees === undefined || ask.scope.keep_denied ? NOTHING : sql` FILTER (WHERE ok)`;
  const only = visibility.sees === undefined || ask.scope.keep_denied ? NOTHING : sql` WHERE ok`;
  const key = sql`round(hit.raw * scale.f)`;
  const order = newest ? sql`at DESC, id` : sql`k, id`;
  const rows = ask.offset + ask.limit + 1;
  const best = ranking.scale.best === null ? sql`lo` : sql`${ranking.scale.best}`;
  const worst = ranking.scale.worst === null ? sql`hi` : sql`${ranking.scale.worst}`;
  return sql`WITH ${listOf(visibility.tables)}hit AS MATERIALIZED (
      SELECT ${ranking.id} AS id, ${ranking.cost} AS raw${newest ? sql`, ${kind.time} AS at` : NOTHING}${judged}
      FROM ${ranking.from} f${needsRow ? sql` CROSS JOIN ${kind.table} m ON m.id = ${ranking.id}` : NOTHING}
      ${where([...ranking.match, ...conditions])}),
    span AS MATERIALIZED (SELECT count(*)${seen} AS n, ${visibility.sees === undefined || ask.scope.hide_denied ? sql`0` : sql`count(*) FILTER (WHERE NOT ok)`} AS denied,
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
    UNION ALL ${pageRows(ask, kind, visibility, sql`p.k`)}`;
}

/** Where the last row of the page before stands now; one row, NULL when it is gone. */
function anchor(key: Sql, only: Sql, { id }: PageStart): Sql {
  const found = sql`SELECT ${key} FROM hit, scale${only === NOTHING ? sql` WHERE` : sql`${only} AND`} hit.id = ${id}`;
  return sql`anchor AS MATERIALIZED (SELECT (${found}) AS k),`;
}

/** Behind the anchor's row, or where it is gone behind its score. */
function isBehind(key: Sql, { id, score }: PageStart): Sql {
  const own = scoreOf(key);
  return sql`CASE WHEN anchor.k IS NOT NULL THEN ${key} > anchor.k OR (${key} = anchor.k AND hit.id > ${id})
    ELSE ${own} < ${score} OR (${own} = ${score} AND hit.id > ${id}) END`;
}

function isOlder(time: Sql, row: Sql, { at, id }: PageStart): Sql {
  return sql`(${time} < ${at} OR (${time} = ${at} AND ${row} > ${id}))`;
}

/** 0 for the worst of the set, 1 for the best, in multiples of 2^-40. */
function scoreOf(key: Sql): Sql {
  return sql`CASE WHEN scale.k1 = scale.k0 THEN 1.0 ELSE round((scale.k1 - ${key}) / (scale.k1 - scale.k0) * 1099511627776.0) / 1099511627776.0 END`;
}

const VERSION = sql`(SELECT value FROM meta WHERE key = 'data_version')`;

/** In the order of `ranked`: the outer loop of a CROSS JOIN keeps it. */
function pageRows(ask: EngineRequest, kind: KindTables, visibility: Visibility, key: Sql): Sql {
  return sql`SELECT 1, m.id, ${key}, ${columns(kind, visibility)}
    FROM (SELECT * FROM ranked LIMIT ${ask.limit + 1} OFFSET ${ask.offset}) p CROSS JOIN ${kind.table} m ON m.id = p.id ${kind.sender}`;
}

/** project_id, title, body, created_ts, importance, ack_required, thread_id, from_agent, visible, reason */
function columns(kind: KindTables, visibility: Visibility): Sql {
  return sql`${kind.project}, ${kind.title}, ${kind.body}, ${kind.time}, ${kind.rest}, ${visibility.sees ?? sql`1`}, ${visibility.reason}`;
}

function listOf(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? NOTHING : sql`${joined(tables, ', ')}, `;
}
