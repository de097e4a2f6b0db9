import type { EngineRequest, EngineSet } from '../../../core/ports/message-engine.ts';
import { KINDS, type KindTables } from '../../visibility/kinds.ts';
import { all, joined, NOTHING, type Sql, type SqlValue, sql } from '../../visibility/sql.ts';
import { projectsNamed, type Visibility, visibilityOf } from '../../visibility/visibility.ts';

/**
 * SQLite finds, filters and counts; who comes first where rows are ranked is said in `order.ts`. The statements of a page are
 * asked in one transaction.
 */

/** The function of SQL that takes a row: id, cost, seen, time. */
export const COLLECT_HIT = sql`collect_hit`;

/** The row after which a page begins. */
export interface PageStart {
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

/** Hands every row that matches to the collector of its connection: id, cost, whether every viewer may see it, time. Its own row says nothing. */
export function hitsStatement(request: EngineRequest, { from, id, cost, match, current }: Ranking): Sql {
  const kind = KINDS[request.kind];
  const visibility = visibilityOf(request, request.now_us);
  const isHidden = request.scope.hide_denied === true;
  // Before anything else is computed of a row: what is hidden costs as little as can be.
  const conditions = [...filterConditions(request, kind, visibility), ...(isHidden ? visibleOnly(request, visibility) : [])];
  const newest = request.order === 'newest';
  const needsRow = !current || conditions.length > 0 || visibility.sees !== undefined || newest;
  // The limit keeps SQLite from moving the call to where the conditions have not been looked at yet.
  return sql`${withTables(visibility.tables)}SELECT count(hit) FROM (
    SELECT ${COLLECT_HIT}(${id}, ${cost}, ${isHidden ? sql`1` : (visibility.sees ?? sql`1`)}, ${newest ? kind.time : sql`0`}) AS hit
    FROM ${from} f${needsRow ? sql` CROSS JOIN ${kind.table} m ON m.id = ${id}` : NOTHING}${where([...match, ...conditions])} LIMIT -1)`;
}

/** Ids up to the end of a page where nothing is ranked, substrings and filters, and of the row behind it. */
export function listedStatement(request: EngineRequest, after: PageStart | null, hasTrigrams = false): Sql {
  const kind = KINDS[request.kind];
  const visibility = visibilityOf(request, request.now_us);
  const newest = request.order === 'newest';
  const page = [
    ...listedConditions(request, kind, visibility, hasTrigrams),
    ...visibleOnly(request, visibility),
    // Every score here is 1.
    ...(request.min_score === null ? [] : [sql`1.0 >= ${request.min_score}`]),
    ...(after === null ? [] : [newest ? isOlder(kind.time, after) : sql`m.id > ${after.id}`]),
  ];
  return sql`${withTables(visibility.tables)}SELECT m.id FROM ${kind.table} m${where(page)}
    ORDER BY ${newest ? sql`${kind.time} DESC, ` : NOTHING}m.id LIMIT ${request.offset + request.limit + 1}`;
}

/** [matched, denied] where nothing is ranked. */
export function countStatement(request: EngineRequest, hasTrigrams = false): Sql {
  const kind = KINDS[request.kind];
  const visibility = visibilityOf(request, request.now_us);
  const set = listedConditions(request, kind, visibility, hasTrigrams);
  const count = (conditions: readonly Sql[]): Sql => sql`(SELECT count(*) FROM ${kind.table} m${where(conditions)})`;
  const denied = visibility.sees === undefined || request.scope.hide_denied === true ? sql`0` : count([...set, sql`NOT ${visibility.sees}`]);
  return sql`${withTables(visibility.tables)}SELECT ${count([...set, ...visibleOnly(request, visibility)])}, ${denied}`;
}

/** Values of a facet that are told. */
const MAX_VALUES = 20;

/** Rows [facet, value, count] of what may be seen of a set of messages; what a redaction would show counts as hidden. */
export function facetsStatement(request: EngineRequest, ranking: Ranking | null, hasTrigrams = false): Sql {
  const kind = KINDS[request.kind];
  const visibility = visibilityOf(request, request.now_us);
  const seen = visibility.sees === undefined ? [] : [visibility.sees];
  const found =
    ranking === null
      ? sql`${kind.table} m${where([...listedConditions(request, kind, visibility, hasTrigrams), ...seen])}`
      : sql`${ranking.from} f CROSS JOIN ${kind.table} m ON m.id = ${ranking.id}${where([...ranking.match, ...filterConditions(request, kind, visibility), ...seen])}`;
  const counted = (facet: string, value: Sql, from: Sql): Sql =>
    sql`SELECT * FROM (SELECT ${facet} AS facet, ${value} AS value, count(*) AS rows_counted FROM ${from} GROUP BY value ORDER BY rows_counted DESC, value LIMIT ${MAX_VALUES})`;
  const tables = [...visibility.tables, sql`seen AS MATERIALIZED (SELECT m.project_id, m.importance, m.sender_id FROM ${found})`];
  const bySender = counted('from_agent', sql`a.name`, sql`seen JOIN agents a ON a.id = seen.sender_id`);
  return sql`${withTables(tables)}${counted('project_id', sql`seen.project_id`, sql`seen`)}
    UNION ALL ${counted('importance', sql`seen.importance`, sql`seen`)} UNION ALL ${bySender}`;
}

function listedConditions(request: EngineRequest, kind: KindTables, visibility: Visibility, hasTrigrams: boolean): Sql[] {
  const { match } = request;
  const substrings = match.by === 'substrings' ? [...(hasTrigrams ? withTrigrams(match.terms) : []), ...containsAll(match.terms, kind)] : [];
  return [...substrings, ...filterConditions(request, kind, visibility)];
}

/** Trigrams of a term that narrow its rows; more of them would only be read. */
const MAX_TRIGRAMS = 12;

/** Messages that have the trigrams of these terms: those that can have them as parts. None where every term is shorter. */
function withTrigrams(terms: readonly string[]): Sql[] {
  const grams = terms.flatMap((term) => trigramsOf(term).slice(0, MAX_TRIGRAMS));
  if (grams.length === 0) return [];
  const expression = [...new Set(grams)].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(' AND ');
  return [sql`m.id IN (SELECT rowid FROM fts_grams WHERE fts_grams MATCH ${expression})`];
}

/** The index has no marks: what stands beside one is not looked for. */
function trigramsOf(term: string): string[] {
  const letters = [...term];
  return letters
    .slice(2)
    .map((letter, at) => `${letters[at]}${letters[at + 1]}${letter}`)
    .filter((gram) => !/\p{M}/u.test(gram));
}

/** Whether a store has its trigrams; one of before gets them in steps (D235). */
export const HAS_TRIGRAMS = sql`SELECT 1 FROM sqlite_master WHERE name = 'fts_grams'`;

function isOlder(time: Sql, { at, id }: PageStart): Sql {
  return sql`(${time} < ${at} OR (${time} = ${at} AND m.id > ${id}))`;
}

/** Ids of what may be seen of a set, by filters and scope alone, in no order. */
export function candidatesStatement(set: Omit<EngineSet, 'match'> & { now_us: number }): Sql {
  const kind = KINDS[set.kind];
  const visibility = visibilityOf(set, set.now_us);
  const conditions = [...filterConditions({ ...set, match: { by: 'filters' } }, kind, visibility), ...visibleOnly(set, visibility)];
  return sql`${withTables(visibility.tables)}SELECT m.id FROM ${kind.table} m${where(conditions)}`;
}

type Named = EngineSet & { readonly ids: readonly number[]; readonly now_us: number };

/** Those of these rows that are still in the set, whatever their text is by now. */
export function rowsStatement(set: Named): Sql {
  const kind = KINDS[set.kind];
  const visibility = visibilityOf(set, set.now_us);
  return named(set, kind, visibility, [...filterConditions(set, kind, visibility), ...visibleOnly(set, visibility)]);
}

/** These rows, in this order, in the transaction that found them in the set. */
export function pageStatement(set: Named): Sql {
  return named(set, KINDS[set.kind], visibilityOf(set, set.now_us), []);
}

/** id, project_id, title, body, created_ts, importance, ack_required, thread_id, from_agent, visible, reason. The outer loop of a CROSS JOIN keeps its order. */
function named({ ids, bodies }: Named, kind: KindTables, visibility: Visibility, conditions: readonly Sql[]): Sql {
  return sql`${withTables(visibility.tables)}SELECT m.id, ${kind.project}, ${kind.title}, ${bodies === false ? sql`''` : kind.body}, ${kind.time}, ${kind.rest}, ${visibility.sees ?? sql`1`}, ${visibility.reason}
    FROM json_each(${JSON.stringify(ids)}) p CROSS JOIN ${kind.table} m ON m.id = p.value ${kind.sender}${where(conditions)}`;
}

/**
 * [id, title, body] of the first rows that an index of words has for an expression and that may be seen, by id. Rows that an
 * operator sees redacted count as hidden.
 */
export function seenStatement(
  set: Omit<EngineSet, 'match'> & { readonly now_us: number },
  { from, match }: Pick<Ranking, 'from' | 'match'>,
  most: number,
): Sql {
  const kind = KINDS[set.kind];
  const visibility = visibilityOf(set, set.now_us);
  const conditions = [...filterConditions({ ...set, match: { by: 'substrings', terms: [] } }, kind, visibility), ...(visibility.sees ? [visibility.sees] : [])];
  return sql`${withTables(visibility.tables)}SELECT m.id, ${kind.title}, ${kind.body} FROM ${from} f CROSS JOIN ${kind.table} m ON m.id = f.rowid${where([...match, ...conditions])} LIMIT ${most}`;
}

/** Time of a row, where it still is and may be seen: a token that names another one must tell nothing of it. */
export function timeStatement(request: EngineRequest, id: bigint): Sql {
  const kind = KINDS[request.kind];
  const visibility = visibilityOf(request, request.now_us);
  const conditions = [sql`m.id = ${id}`, ...inProjects(request, kind), ...visibleOnly(request, visibility)];
  return sql`${withTables(visibility.tables)}SELECT ${kind.time} FROM ${kind.table} m${where(conditions)}`;
}

function inProjects({ scope }: Pick<EngineSet, 'scope'>, { project }: KindTables): Sql[] {
  return [
    ...given(scope.projects, (ids) => sql`${project} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`),
    ...given(scope.granted ?? null, (slugs) => sql`${project} IN ${projectsNamed(slugs)}`),
  ];
}

/** Number of the state of the data. */
export const VERSION = sql`SELECT value FROM meta WHERE key = 'data_version'`;

function visibleOnly({ scope }: Pick<EngineSet, 'scope'>, { sees }: Visibility): Sql[] {
  return sees === undefined || scope.keep_denied ? [] : [sees];
}

function withTables(tables: readonly Sql[]): Sql {
  return tables.length === 0 ? NOTHING : sql`WITH ${joined(tables, ', ')} `;
}

/** The filters of a set as conditions on `m`, visibility left out. */
export function filterConditions({ match, filters, scope }: Omit<EngineSet, 'kind'>, kind: KindTables, visibility: Visibility): Sql[] {
  const { project } = kind;
  const recipients = recipientsOf(match.by === 'filters' && visibility.recipient === undefined, visibility.recipient);
  const { agent_name: agent, direction } = filters;
  return [
    ...given(filters.project_id, (id) => sql`${project} = ${id}`),
    ...given(filters.product_id, (id) => sql`m.project_id IN (SELECT project_id FROM product_project_links WHERE product_id = ${id})`),
    ...inProjects({ scope }, kind),
    ...(filters.importance.length > 0 ? [sql`m.importance IN (${list(filters.importance)})`] : []),
    ...given(filters.thread_id, (id) => sql`m.thread_id = ${id}`),
    ...given(filters.ack_required, (flag) => sql`m.ack_required = ${Number(flag)}`),
    ...given(filters.min_ts, (us) => sql`m.created_ts >= ${us}`),
    ...given(filters.max_ts, (us) => sql`m.created_ts <= ${us}`),
    ...given(direction === 'outbox' ? agent : null, isSender),
    ...given(direction === 'inbox' ? agent : null, recipients),
    ...given(direction === null ? agent : null, (name) => sql`(${isSender(name)} OR ${recipients(name)})`),
    ...given(filters.sender_name, isSender),
    ...given(filters.recipient_name, recipients),
  ];
}

function given<T>(value: T | null, condition: (value: T) => Sql): Sql[] {
  return value === null ? [] : [condition(value)];
}

/** Names are compared without regard to ASCII case; a name may belong to an agent of each project. */
function agentsOf(name: string): Sql {
  return sql`(SELECT id FROM agents WHERE name = ${name} COLLATE NOCASE)`;
}

function isSender(name: string): Sql {
  return sql`m.sender_id IN ${agentsOf(name)}`;
}

/** Without a text everything that an agent got is read once; with one, most rows have been left out when recipients are asked for. */
function recipientsOf(once: boolean, known: Sql | undefined): (name: string) => Sql {
  if (once) return (name) => sql`m.id IN (SELECT r.message_id FROM message_recipients r WHERE r.agent_id IN ${agentsOf(name)})`;
  const visible = known === undefined ? NOTHING : sql` AND ${known}`;
  return (name) => sql`EXISTS (SELECT 1 FROM message_recipients r WHERE r.message_id = m.id AND r.agent_id IN ${agentsOf(name)}${visible})`;
}

/** Every term is a part of title or body, ASCII letters of any case. */
export function containsAll(terms: readonly string[], { title, body }: KindTables): Sql[] {
  return terms.map((term) => {
    const pattern = `%${term.replace(/[\\%_]/g, '\\$&')}%`;
    return sql`(${title} LIKE ${pattern} ESCAPE '\\' OR ${body} LIKE ${pattern} ESCAPE '\\')`;
  });
}

function list(values: readonly SqlValue[]): Sql {
  return joined(
    values.map((value) => sql`${value}`),
    ', ',
  );
}

/** A WHERE clause; nothing when there is no condition. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOTHING : sql` WHERE ${all(conditions)}`;
}
