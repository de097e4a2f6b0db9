import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { EngineRequest } from '../../../core/ports/message-engine.ts';
import { COLLECT_HIT, type PageStart, type ScoreScale } from './statements.ts';

/** Rows that match, in no order. The arrays are used again by the next collection. */
export interface Hits {
  readonly size: number;
  readonly ids: Float64Array;
  /** Less is better. */
  readonly costs: Float64Array;
  /** 0 where a viewer may not see the row. */
  readonly seen: Uint8Array;
  /** Microseconds; 0 where nobody asks for the newest. */
  readonly times: Float64Array;
}

/** The front of an order, and what holds for the whole set. */
export interface Ordered {
  readonly matched: number;
  readonly denied: number;
  /** A power of two: keys are costs in multiples of 1 / f, which leaves 30 bits to the largest one. */
  readonly f: number;
  /** Keys that score 1 and 0. */
  readonly lowest: number;
  readonly highest: number;
  /** Key of the row after which the page begins; `null`: it is not in the set. */
  readonly anchor: number | null;
  /** As many rows as the page, or the list for later pages, needs. */
  readonly ids: readonly number[];
  readonly keys: readonly number[];
}

/**
 * Orders a set: costs are snapped, so that the last bits of a float decide nothing, scores are what lies between the best
 * and the worst row of the whole set, and ties are broken by id (message-search.md 3.3, 4.3).
 */
export function orderOf(hits: Hits, request: EngineRequest, scale: ScoreScale, after: PageStart | null): Ordered {
  const { size, ids, costs, times } = hits;
  const isIn: Test = request.scope.keep_denied ? () => true : (row) => hits.seen[row] === 1;
  const span = spanOf(hits, isIn);
  const [best, worst] = [scale.best ?? span.least, scale.worst ?? span.most];
  const f = gridOf(span.rows === 0 ? 0 : Math.max(-best, -worst));
  const [lowest, highest] = span.rows === 0 ? [0, 0] : [rounded(best * f), rounded(worst * f)];
  const keys = costs.subarray(0, size).map((cost) => rounded(cost * f));
  const scores = (row: number): number => scoreOf(at(keys, row), lowest, highest);
  const anchor = after === null ? null : anchorOf(hits, keys, after, isIn);
  const isNewest = request.order === 'newest';
  const tests = [
    isIn,
    ...(request.min_score === null ? [] : [isAtLeast(request.min_score, scores)]),
    ...(after === null ? [] : [isNewest ? isOlder(hits, after) : isBehind(hits, keys, scores, anchor, after)]),
  ];
  const byId: Order = (a, b) => at(ids, a) - at(ids, b);
  const order: Order = isNewest ? (a, b) => at(times, b) - at(times, a) || byId(a, b) : (a, b) => at(keys, a) - at(keys, b) || byId(a, b);
  const rows = front(size, tests, order, Math.max(request.list, request.offset + request.limit + 1));
  return {
    matched: span.rows,
    denied: span.denied,
    f,
    lowest,
    highest,
    anchor,
    ids: Array.from(rows, (row) => at(ids, row)),
    keys: Array.from(rows, (row) => at(keys, row)),
  };
}

type Test = (row: number) => boolean;
type Order = (a: number, b: number) => number;

/** 0 for the worst of the set, 1 for the best, in multiples of 2^-40. */
export function scoreOf(key: number, lowest: number, highest: number): number {
  return highest === lowest ? 1 : rounded(((highest - key) / (highest - lowest)) * SCORES) / SCORES;
}

const SCORES = 2 ** 40;

function anchorOf({ size, ids }: Hits, keys: Float64Array, { id }: PageStart, isIn: Test): number | null {
  const row = ids.subarray(0, size).indexOf(Number(id));
  return row < 0 || !isIn(row) ? null : at(keys, row);
}

function isAtLeast(least: number, scores: (row: number) => number): Test {
  return (row) => scores(row) >= least;
}

function isOlder({ times, ids }: Hits, after: PageStart): Test {
  const [time, id] = [after.at ?? Number.NaN, Number(after.id)];
  return (row) => at(times, row) < time || (times[row] === time && at(ids, row) > id);
}

/** Behind the anchor's row, or where it is gone behind its score. */
function isBehind({ ids }: Hits, keys: Float64Array, scores: (row: number) => number, anchor: number | null, after: PageStart): Test {
  const id = Number(after.id);
  if (anchor !== null) return (row) => at(keys, row) > anchor || (keys[row] === anchor && at(ids, row) > id);
  return (row) => {
    const own = scores(row);
    return own < after.score || (own === after.score && at(ids, row) > id);
  };
}

function spanOf({ size, costs, seen }: Hits, isIn: Test) {
  let [rows, denied, least, most] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < size; row += 1) {
    if (seen[row] === 0) denied += 1;
    if (!isIn(row)) continue;
    const cost = at(costs, row);
    rows += 1;
    if (cost < least) least = cost;
    if (cost > most) most = cost;
  }
  return { rows, denied, least, most };
}

/** The first `most` rows of an order: those that cannot be among them are dropped on the way. */
function front(size: number, tests: readonly Test[], order: Order, most: number): Uint32Array {
  const kept = new Uint32Array(Math.min(size, Math.max(2 * most, 1024)));
  let rows = 0;
  let last: number | undefined;
  for (let row = 0; row < size; row += 1) {
    if (last !== undefined && order(row, last) >= 0) continue;
    if (!tests.every((test) => test(row))) continue;
    kept[rows] = row;
    rows += 1;
    if (rows < kept.length) continue;
    kept.sort(order);
    rows = Math.min(rows, most);
    last = kept[most - 1];
  }
  return kept.subarray(0, rows).sort(order).subarray(0, most);
}

function gridOf(largest: number): number {
  return largest > 0 ? 2 ** (30 - Math.floor(Math.log2(largest))) : 1;
}

/** Halves away from zero, and never -0. */
function rounded(value: number): number {
  return Math.trunc(value + (value < 0 ? -0.5 : 0.5)) + 0;
}

function at(numbers: Float64Array, row: number): number {
  return numbers[row] ?? Number.NaN;
}

/** Arrays of the hits of a connection; room for more rows than `ROWS_KEPT`, 26 MB, is given back. */
const ROWS_AT_FIRST = 4096;
const ROWS_KEPT = 2 ** 20;

const collectors = new WeakMap<SqliteDatabase, (work: () => void) => Hits>();

/**
 * What `work`, a statement that calls COLLECT_HIT for each row, has found. A function of SQL belongs to its connection, so each
 * has one collector. Handed over one by one, each as an array of its own, 75,000 rows of FTS5 with their bm25 take 65 ms;
 * as numbers in arrays 46.
 */
export function collectHits(db: SqliteDatabase, work: () => void): Hits {
  const collect = collectors.get(db) ?? createCollector(db);
  collectors.set(db, collect);
  return collect(work);
}

function createCollector(db: SqliteDatabase): (work: () => void) => Hits {
  let size = 0;
  let { ids, costs, seen, times } = roomFor(ROWS_AT_FIRST);

  function grow(): void {
    const more = roomFor(2 * ids.length);
    more.ids.set(ids);
    more.costs.set(costs);
    more.seen.set(seen);
    more.times.set(times);
    ({ ids, costs, seen, times } = more);
  }

  // Only statements of ours may call it, no view and no trigger of a file.
  db.function(COLLECT_HIT.text, { varargs: true, directOnly: true }, (id: number, cost: number, isSeen: number, time: number) => {
    if (size === ids.length) grow();
    ids[size] = id;
    costs[size] = cost;
    seen[size] = isSeen;
    times[size] = time;
    size += 1;
    return 0;
  });

  return (work) => {
    size = 0;
    if (ids.length > ROWS_KEPT) ({ ids, costs, seen, times } = roomFor(ROWS_AT_FIRST));
    work();
    return { size, ids, costs, seen, times };
  };
}

function roomFor(rows: number) {
  return { ids: new Float64Array(rows), costs: new Float64Array(rows), seen: new Uint8Array(rows), times: new Float64Array(rows) };
}
