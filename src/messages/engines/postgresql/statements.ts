import type { EngineRequest, EngineSet } from '../../../core/ports/message-engine.ts';
import { KINDS } from '../../visibility/kinds.ts';
import { all, joined, NOTHING, type Sql, sql } from '../../visibility/sql.ts';
import type { Resolved } from './access.ts';
import { containsAll, filterConditions, type SetVisibility, visibilityIn } from './conditions.ts';
import type { WordQuery } from './expression.ts';

/** What a set is in SQL: conditions on `m`, what may be seen of them, and the words of its text. */
export interface SetSql {
  readonly kind: EngineSet['kind'];
  /** Text, filters and scope of projects. */
  readonly conditions: readonly Sql[];
  readonly visibility: SetVisibility;
  /** Conditions of what is hidden as a whole. */
  readonly hidden: readonly Sql[];
}

export function setSql(set: EngineSet, words: WordQuery | null, resolved: Resolved): SetSql {
  const { kind, match, scope } = set;
  const visibility = visibilityIn(set, resolved);
  const text = match.by === 'substrings' ? containsAll(kind, match.terms) : words === null ? [] : [sql`m.words @@ ${words.query}::tsquery`];
  return {
    kind,
    conditions: [...text, ...filterConditions(set, resolved)],
    visibility,
    hidden: visibility.sees === undefined || scope.keep_denied ? [] : [visibility.sees],
  };
}

function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOTHING : sql` WHERE ${all(conditions)}`;
}

/** One row: how many rows and words the reader's mail has, then how many of its rows have each leaf. What is hidden is not counted. */
export function statisticsStatement({ kind }: SetSql, leaves: readonly string[]): Sql {
  const { table } = KINDS[kind];
  const having = leaves.map((leaf) => sql`, (SELECT count(*) FROM ${table} m WHERE m.words @@ ${leaf}::tsquery)`);
  return sql`SELECT (SELECT count(*) FROM ${table}), (SELECT coalesce(sum(word_count), 0)::float8 FROM ${table})${joined(having, ' ')}`;
}

/** BM25 with FTS5's constants; title 10, body 1, parts of their words half of that. */
const WEIGHTS = sql`'{0.05, 0.5, 0.1, 1}'::float4[]`;
const PER_PLACE = 20;

/** The cost of a row, less is better: minus its BM25. For one word or phrase the cover density is the sum of the weights of its places. */
export function costOf(leaves: readonly { readonly leaf: string; readonly idf: number }[], averageWords: number): Sql {
  if (leaves.length === 0) return sql`0::float8`;
  const norm = sql`(0.3 + 0.9 * m.word_count / ${averageWords}::float8)`;
  const parts = leaves.map(({ leaf, idf }) => {
    const places = sql`(round((ts_rank_cd(${WEIGHTS}, m.words, ${leaf}::tsquery) * ${PER_PLACE}::float8)::numeric)::float8 / 2)`;
    return sql`- ${idf}::float8 * ${places} * 2.2 / (${places} + ${norm})`;
  });
  return sql`0::float8 ${joined(parts, ' ')}`;
}

/** id, cost, whether every viewer may see it, time: of every row that matches. Those that are not seen are counted. */
export function hitsStatement({ kind, conditions, visibility }: SetSql, cost: Sql): Sql {
  const { table, time } = KINDS[kind];
  return sql`SELECT m.id, ${cost}, ${visibility.sees ?? sql`true`}, ${time} FROM ${table} m${where(conditions)}`;
}

/** Ids up to the end of a page where nothing is ranked, and of the row behind it. */
export function listedStatement(
  { kind, conditions, hidden }: SetSql,
  { order, min_score, offset, limit }: EngineRequest,
  after: { readonly at: number | null; readonly id: bigint } | null,
): Sql {
  const { table, time } = KINDS[kind];
  const isNewest = order === 'newest';
  const older = (at: number | null, id: bigint): Sql => sql`(${time} < ${at}::bigint OR (${time} = ${at}::bigint AND m.id > ${id}::bigint))`;
  const page = [
    ...conditions,
    ...hidden,
    // Every score here is 1.
    ...(min_score === null ? [] : [sql`1.0 >= ${min_score}::float8`]),
    ...(after === null ? [] : [isNewest ? older(after.at, after.id) : sql`m.id > ${after.id}::bigint`]),
  ];
  return sql`SELECT m.id FROM ${table} m${where(page)} ORDER BY ${isNewest ? sql`${time} DESC, ` : NOTHING}m.id LIMIT ${offset + limit + 1}::bigint`;
}

/** [matched, denied] where nothing is ranked. */
export function countStatement({ kind, conditions, visibility, hidden }: SetSql): Sql {
  const count = (more: readonly Sql[]): Sql => sql`(SELECT count(*) FROM ${KINDS[kind].table} m${where([...conditions, ...more])})`;
  return sql`SELECT ${count(hidden)}, ${visibility.sees === undefined ? sql`0` : count([sql`NOT ${visibility.sees}`])}`;
}

/** Time of a row, where it still is and may be seen. */
export function timeStatement({ kind, hidden }: SetSql, projects: readonly number[] | null, id: bigint): Sql {
  const { table, time, project } = KINDS[kind];
  const scope = projects === null ? [] : [sql`${project} = ANY (${`{${projects.join()}}`}::bigint[])`];
  return sql`SELECT ${time} FROM ${table} m${where([sql`m.id = ${id}::bigint`, ...scope, ...hidden])}`;
}

/** These rows, in this order: id, project_id, title, body, created_ts, importance, ack_required, thread_id, from_agent, visible, reason. */
export function rowsStatement({ kind, visibility }: SetSql, ids: readonly number[], conditions: readonly Sql[] = []): Sql {
  const { table, project, title, body, time, rest, sender } = KINDS[kind];
  return sql`SELECT m.id, ${project}, ${title}, ${body}, ${time}, ${rest}, ${visibility.sees ?? sql`true`}, ${visibility.reason}
    FROM unnest(${`{${ids.join()}}`}::bigint[]) WITH ORDINALITY p (id, place) JOIN ${table} m ON m.id = p.id ${sender}${where(conditions)} ORDER BY p.place`;
}

/** Values of a facet that are told. */
const MAX_VALUES = 20;

/** Rows [facet, value, count] of what may be seen of a set of messages; what a redaction would show counts as hidden. */
export function facetsStatement({ conditions, visibility }: SetSql): Sql {
  const counted = (facet: string, value: Sql, from: Sql): Sql =>
    sql`(SELECT ${facet}::text, (${value})::text, count(*) FROM ${from} GROUP BY ${value} ORDER BY count(*) DESC, ${value} LIMIT ${MAX_VALUES})`;
  const seen = where([...conditions, ...(visibility.sees === undefined ? [] : [visibility.sees])]);
  return sql`WITH seen AS MATERIALIZED (SELECT m.project_id, m.importance, m.sender_id FROM messages m${seen})
    ${counted('project_id', sql`project_id`, sql`seen`)} UNION ALL ${counted('importance', sql`importance COLLATE "C"`, sql`seen`)}
    UNION ALL ${counted('from_agent', sql`a.name COLLATE "C"`, sql`seen JOIN agents a ON a.id = seen.sender_id`)}`;
}
