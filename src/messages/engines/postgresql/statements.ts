import type { EngineRequest, EngineSet } from '../../../core/ports/message-engine.ts';
import { KINDS } from '../../visibility/kinds.ts';
import { all, NOTHING, type Sql, sql } from '../../visibility/sql.ts';
import { type Resolved, securedIn } from './access.ts';
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
  /** Whether the reader sees every row of the table. */
  readonly seesAll: boolean;
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
    seesAll: resolved.granted === null && securedIn(set, resolved).length === 0,
  };
}

export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOTHING : sql` WHERE ${all(conditions)}`;
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
