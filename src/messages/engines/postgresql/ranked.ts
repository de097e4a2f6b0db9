import type { EngineRequest } from '../../../core/ports/message-engine.ts';
import { KINDS } from '../../visibility/kinds.ts';
import { type Sql, sql } from '../../visibility/sql.ts';
import type { PageStart } from '../result-set/statements.ts';
import type { Scoring } from './scoring.ts';
import { type SetSql, where } from './statements.ts';

/**
 * One row [matched, denied, f, lowest, highest, anchor, ids, keys]: the front of a ranked set and what holds for all of it, as
 * `orderOf` of `result-set/order.ts` has it. PostgreSQL orders, so that of a set of millions no more than the front leaves it.
 */
export function rankedStatement({ kind, conditions, visibility }: SetSql, scoring: Scoring, request: EngineRequest, after: PageStart | null): Sql {
  const { table, time } = KINDS[kind];
  const { scope, min_score, order, list, offset, limit } = request;
  const isIn = scope.keep_denied ? sql`true` : sql`seen`;
  const tests = [
    ...(min_score === null ? [] : [sql`${SCORE} >= ${min_score}::float8`]),
    ...(after === null ? [] : [order === 'newest' ? isOlder(after) : isBehind(after)]),
  ];
  const places = order === 'newest' ? sql`time DESC, id` : sql`key, id`;
  const anchor = after === null ? sql`NULL::float8` : sql`(SELECT key FROM keyed WHERE id = ${after.id}::bigint)`;
  return sql`WITH
    stats AS MATERIALIZED (${scoring.stats}),
    hit AS MATERIALIZED (
      SELECT m.id, ${visibility.sees ?? sql`true`} AS seen, ${time} AS time${scoring.parts} FROM ${table} m${where(conditions)}),
    weight AS MATERIALIZED (${scoring.weight}),
    costed AS NOT MATERIALIZED (SELECT id, seen, time, ${scoring.cost} AS cost FROM hit, weight),
    span AS (
      SELECT count(*) FILTER (WHERE ${isIn}) AS matched, count(*) FILTER (WHERE NOT seen) AS denied,
        min(cost) FILTER (WHERE ${isIn}) AS best, max(cost) FILTER (WHERE ${isIn}) AS worst FROM costed),
    grid AS (SELECT *, ${gridOf(sql`greatest(-best, -worst, 0)`)} AS f FROM span),
    whole AS MATERIALIZED (
      SELECT matched, denied, f, coalesce(${rounded(sql`best * f`)}, 0) AS lowest, coalesce(${rounded(sql`worst * f`)}, 0) AS highest FROM grid),
    keyed AS (SELECT id, time, ${rounded(sql`cost * f`)} AS key, lowest, highest FROM costed, whole WHERE ${isIn}),
    anchor AS MATERIALIZED (SELECT ${anchor} AS key),
    front AS MATERIALIZED (
      SELECT keyed.id, time, keyed.key FROM keyed, anchor${where(tests)} ORDER BY ${places} LIMIT ${Math.max(list, offset + limit + 1)}::bigint)
    SELECT matched, denied, f, lowest, highest, (SELECT key FROM anchor),
      (SELECT string_agg(id::text, ',' ORDER BY ${places}) FROM front), (SELECT string_agg(key::text, ',' ORDER BY ${places}) FROM front) FROM whole`;
}

/** Halves away from zero, and never -0. */
function rounded(value: Sql): Sql {
  return sql`(trunc(${value} + CASE WHEN ${value} < 0 THEN -0.5 ELSE 0.5 END::float8) + 0)`;
}

/** The power of two that leaves 30 bits to the largest one. What the logarithm says is tried, since its last bit may be wrong. */
function gridOf(largest: Sql): Sql {
  const exponent = sql`floor(ln(${largest}) / ln(2::float8))`;
  const power = (more: 0 | 1): Sql => sql`power(2::float8, ${exponent} + ${more}::float8)`;
  const corrected = sql`CASE WHEN ${power(0)} > ${largest} THEN -1 WHEN ${power(1)} <= ${largest} THEN 1 ELSE 0 END`;
  return sql`CASE WHEN ${largest} > 0 THEN power(2::float8, 30 - (${exponent} + ${corrected})) ELSE 1 END`;
}

/** 0 for the worst of the set, 1 for the best, in multiples of 2^-40. */
const SCORES = sql`1099511627776::float8`;
const SCORE = sql`CASE WHEN highest = lowest THEN 1 ELSE trunc((highest - keyed.key) / (highest - lowest) * ${SCORES} + 0.5::float8) / ${SCORES} END`;

function isOlder({ at, id }: PageStart): Sql {
  return sql`(time < ${at}::bigint OR (time = ${at}::bigint AND keyed.id > ${id}::bigint))`;
}

/** Behind the anchor's row, or where it is gone behind its score. */
function isBehind({ id, score }: PageStart): Sql {
  const behind = (value: Sql, bound: Sql, sign: Sql): Sql => sql`(${value} ${sign} ${bound} OR (${value} = ${bound} AND keyed.id > ${id}::bigint))`;
  return sql`CASE WHEN anchor.key IS NOT NULL THEN ${behind(sql`keyed.key`, sql`anchor.key`, sql`>`)} ELSE ${behind(SCORE, sql`${score}::float8`, sql`<`)} END`;
}
