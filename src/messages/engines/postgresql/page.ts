import type { Query } from '../../../adapters/postgresql/open.ts';
import type { EngineFacets, EngineFound, EngineRequest } from '../../../core/ports/message-engine.ts';
import { type Hits, type Ordered, orderOf } from '../result-set/order.ts';
import { listOf, resumedAt, rowOf, timeIn } from '../result-set/reader.ts';
import type { PageStart } from '../result-set/statements.ts';
import { cellsOf } from './cells.ts';
import type { WordQuery } from './expression.ts';
import {
  costOf,
  countStatement,
  facetsStatement,
  hitsStatement,
  listedStatement,
  rowsStatement,
  type SetSql,
  statisticsStatement,
  timeStatement,
} from './statements.ts';

/** A page of a set: PostgreSQL finds, filters and counts, and `result-set/order.ts` says who comes first, as for SQLite (D129). */
export async function pageIn(query: Query, request: EngineRequest, set: SetSql, words: WordQuery | null): Promise<Omit<EngineFound, 'version'>> {
  const place = await pageStartOf(query, request, set);
  const front = words === null ? await listed(query, request, set, place.after) : await ranked(query, request, set, words, place.after);
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

type Front = Omit<Ordered, 'matched' | 'denied'> & { readonly matched: number | null; readonly denied: number | null; readonly sql: string };

async function ranked(query: Query, request: EngineRequest, set: SetSql, words: WordQuery, after: PageStart | null): Promise<Front> {
  const [[rows, count, ...having] = []] = await query(statisticsStatement(set, words.leaves));
  const all = Number(rows);
  const leaves = words.leaves.map((leaf, index) => ({ leaf, idf: idfOf(all, Number(having[index])) }));
  const statement = hitsStatement(set, costOf(leaves, Math.max(1, Number(count)) / Math.max(1, all)));
  return { ...orderOf(hitsIn(await query(statement)), request, SCALE, after), sql: statement.text };
}

/** From the worst row of the set to its best, as FTS5 has it. */
const SCALE = { best: null, worst: null };

/** As FTS5 has it: what most rows have says next to nothing. */
function idfOf(rows: number, having: number): number {
  const idf = Math.log((rows - having + 0.5) / (having + 0.5));
  return idf <= 0 ? 1e-6 : idf;
}

function hitsIn(rows: readonly (readonly unknown[])[]): Hits {
  const column = (index: number): Float64Array => Float64Array.from(rows, (row) => Number(row[index]));
  return { size: rows.length, ids: column(0), costs: column(1), seen: Uint8Array.from(rows, (row) => Number(row[2])), times: column(3) };
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
