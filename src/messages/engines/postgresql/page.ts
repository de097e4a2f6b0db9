import type { Cell, Query } from '../../../adapters/postgresql/open.ts';
import type { EngineFacets, EngineFound, EngineRequest } from '../../../core/ports/message-engine.ts';
import type { Ordered } from '../result-set/order.ts';
import { listOf, resumedAt, rowOf, timeIn } from '../result-set/reader.ts';
import type { PageStart } from '../result-set/statements.ts';
import { cellsOf } from './cells.ts';
import type { WordQuery } from './expression.ts';
import { rankedStatement } from './ranked.ts';
import { type Counts, scoringOf } from './scoring.ts';
import { countStatement, facetsStatement, listedStatement, rowsStatement, type SetSql, timeStatement } from './statements.ts';

/** A page of a set: PostgreSQL finds, filters, counts and orders, as `result-set/order.ts` does for SQLite (D129). */
export async function pageIn(
  query: Query,
  request: EngineRequest,
  set: SetSql,
  { words, counts }: { readonly words: WordQuery | null; readonly counts: Counts },
): Promise<Omit<EngineFound, 'version'>> {
  const place = await pageStartOf(query, request, set);
  const front = words === null ? await listed(query, request, set, place.after) : await ranked(query, request, set, words, counts, place.after);
  const { ids, keys, lowest, highest } = front;
  const resumed = place.resumed === 'ranked' ? resumedAt(request, front.anchor) : place.resumed;
  const unit = 1 / front.f;
  const onPage = resumed === 'lost' ? [] : ids.slice(request.offset, request.offset + request.limit);
  const rows = onPage.length === 0 ? [] : await query(rowsStatement(set, onPage));
  return {
    rows: rows.map((row, index) => rowOf(cellsOf(row), { key: keys[request.offset + index] ?? 0, unit, lowest, highest })),
    more: ids.length > request.offset + request.limit,
    matched: front.matched,
    denied: front.denied,
    resumed,
    sql: front.sql,
    ...(request.facets === true && request.after === null && { facets: await facetsOf(query, set) }),
    list: words === null ? null : listOf(request, front, unit),
  };
}

interface Front extends Omit<Ordered, 'matched' | 'denied'> {
  /** `null`: nobody counted. */
  readonly matched: number | null;
  readonly denied: number | null;
  readonly sql: string;
}

async function ranked(query: Query, request: EngineRequest, set: SetSql, words: WordQuery, counts: Counts, after: PageStart | null): Promise<Front> {
  const isCounted = set.kind === 'message' && set.seesAll;
  const statement = rankedStatement(set, scoringOf(set, words, isCounted ? counts : undefined), request, after);
  const [[matched, denied, f, lowest, highest, anchor, ids, keys] = []] = await query(statement);
  return {
    matched: Number(matched),
    denied: Number(denied),
    f: Number(f),
    lowest: Number(lowest),
    highest: Number(highest),
    anchor: numberOrNull(anchor),
    ids: numbersIn(ids),
    keys: numbersIn(keys),
    sql: statement.text,
  };
}

/** A list of numbers as text; nothing where it is empty. */
function numbersIn(list: Cell | undefined): number[] {
  return typeof list === 'string' ? list.split(',').map(Number) : [];
}

async function listed(query: Query, request: EngineRequest, set: SetSql, after: PageStart | null): Promise<Front> {
  const statement = listedStatement(set, request, after);
  const [[matched, denied] = []] = request.count ? await query(countStatement(set)) : [[null, set.visibility.sees === undefined ? 0 : null]];
  const ids = (await query(statement)).map(([id]) => Number(id));
  const numbers = { matched: numberOrNull(matched), denied: numberOrNull(denied) };
  return { ids, keys: [], f: 1, lowest: 0, highest: 0, anchor: null, ...numbers, sql: statement.text };
}

function numberOrNull(cell: unknown): number | null {
  return typeof cell === 'number' ? cell : null;
}

interface Anchored {
  readonly after: PageStart | null;
  /** `ranked`: the order itself tells. */
  readonly resumed: EngineFound['resumed'] | 'ranked';
}

/** Where the page begins. Times are looked up first: a row that is still there stands where it stands now. */
async function pageStartOf(query: Query, { after, order, scope }: EngineRequest, set: SetSql): Promise<Anchored> {
  if (after === null) return { after: null, resumed: 'no' };
  const { id, score, tagged } = after;
  const start = { id, score, at: null };
  if (order === 'id') return { after: start, resumed: 'row' };
  if (order === 'relevance') return { after: { ...start, score: Number.isFinite(score) ? score : -1 }, resumed: 'ranked' };
  const [row] = await query(timeStatement(set, scope.projects, id));
  if (row !== undefined) return { after: { ...start, at: numberOrNull(row[0]) }, resumed: 'row' };
  const at = timeIn(score, tagged);
  return at === undefined ? { after: null, resumed: 'lost' } : { after: { ...start, at }, resumed: 'score' };
}

async function facetsOf(query: Query, set: SetSql): Promise<EngineFacets> {
  const rows = await query(facetsStatement(set));
  const of = (facet: string) => rows.flatMap(([name, value, count]) => (name === facet ? [{ value: String(value), count: Number(count) }] : []));
  return {
    project_id: of('project_id').map(({ value, count }) => ({ value: Number(value), count })),
    importance: of('importance'),
    from_agent: of('from_agent'),
  };
}
