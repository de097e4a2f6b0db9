import type Database from 'better-sqlite3';
import { getLoadablePath } from 'sqlite-vec';
import { Sqlite } from '../../src/adapters/sqlite/driver.ts';
import { halfOf, numberOf } from '../../src/messages/engines/vectors/half.ts';
import { createVectorIndex, type VectorIndex } from '../../src/messages/engines/vectors/vector-index.ts';
import type { Case, Round } from '../contract.ts';
import type { Figures } from '../messages/figures.ts';

const DIMENSION = 384;
const QUERIES = 32;
const MAX = 10;
/** One of ten passes. */
const PROJECTS = 10;
const WANTED = 3;

/** Vectors of random directions, and queries. Every number is a half, so that both sides compare the same. */
interface Data {
  readonly count: number;
  readonly slab: Uint16Array;
  readonly floats: Float32Array;
  readonly queries: readonly Float32Array[];
}

/** The nearest ten of the query of this number, as sorted ids. */
type Ask = (query: number) => number[];

/**
 * Exact searches in vectors of this process: against sqlite-vec, which is native code, and against the loop that anybody
 * would write. Cases with `filtered` look at one document in ten, which each side is told with the query.
 */
export function vectorCases(scale: number, figures: Figures): Case[] {
  const [small, large] = [lazy(() => dataOf(Math.max(500, Math.round(10_000 * scale)))), lazy(() => dataOf(Math.max(500, Math.round(100_000 * scale))))];
  const [smallIndex, largeIndex] = [lazy(() => indexOf(small())), lazy(() => indexOf(large()))];
  const [smallTable, largeTable] = [lazy(() => tableOf(small())), lazy(() => tableOf(large()))];
  const of = (name: string, peer: Case['peer'], repeats: number, ours: () => Ask, theirs: () => Ask): Case => ({
    name,
    kind: 'speed',
    peer,
    ours: async () => round(`ours.${name}`, ours(), repeats, figures),
    theirs: async () => round(`${peer}.${name}`, theirs(), repeats, figures),
  });
  return [
    of(
      'vec10k',
      'sqlite_vec',
      2,
      lazy(() => nearest(small(), smallIndex(), null)),
      lazy(() => neighbours(small(), smallTable(), false)),
    ),
    of(
      'vec10k_filtered',
      'sqlite_vec',
      2,
      lazy(() => nearest(small(), smallIndex(), ids(small().count))),
      lazy(() => neighbours(small(), smallTable(), true)),
    ),
    of(
      'vec10k',
      'plain_js',
      2,
      lazy(() => nearest(small(), smallIndex(), null)),
      lazy(() => looped(small())),
    ),
    of(
      'vec100k',
      'sqlite_vec',
      1,
      lazy(() => nearest(large(), largeIndex(), null)),
      lazy(() => neighbours(large(), largeTable(), false)),
    ),
    of(
      'vec100k_filtered',
      'sqlite_vec',
      1,
      lazy(() => nearest(large(), largeIndex(), ids(large().count))),
      lazy(() => neighbours(large(), largeTable(), true)),
    ),
    of(
      'vec100k',
      'plain_js',
      1,
      lazy(() => nearest(large(), largeIndex(), null)),
      lazy(() => looped(large())),
    ),
  ];
}

function round(figure: string, ask: Ask, repeats: number, figures: Figures): Round {
  const work: number[][] = [];
  let value = 0;
  for (let turn = 0; turn < repeats; turn += 1) {
    for (let query = 0; query < QUERIES; query += 1) {
      const start = performance.now();
      const found = ask(query);
      const ms = performance.now() - start;
      figures.add(figure, ms);
      value += ms;
      if (turn === 0) work.push(found);
    }
  }
  return { value, work };
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function dataOf(count: number): Data {
  let state = 42;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const direction = (): Float32Array => {
    const vector = Float32Array.from({ length: DIMENSION }, random);
    const length = Math.hypot(...vector);
    return vector.map((value) => numberOf(halfOf(value / length)));
  };
  const floats = new Float32Array(count * DIMENSION);
  for (let row = 0; row < count; row += 1) floats.set(direction(), row * DIMENSION);
  return { count, floats, slab: Uint16Array.from(floats, halfOf), queries: Array.from({ length: QUERIES }, direction) };
}

/** Ids of the project that is searched. */
function ids(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row + 1).filter((id) => id % PROJECTS === WANTED);
}

function indexOf({ count, slab }: Data): VectorIndex {
  const index = createVectorIndex(DIMENSION);
  index.load({ ids: Float64Array.from({ length: count }, (_, row) => row + 1), slab });
  return index;
}

function nearest({ queries }: Data, index: VectorIndex, wanted: readonly number[] | null): Ask {
  return (query) => [...index.nearest(queries[query] ?? new Float32Array(DIMENSION), MAX, wanted === null ? null : index.among(wanted)).ids].sort(ascending);
}

function tableOf({ count, floats }: Data): Database.Database {
  const db = new Sqlite(':memory:');
  db.loadExtension(getLoadablePath());
  db.exec(`CREATE VIRTUAL TABLE v USING vec0(id INTEGER PRIMARY KEY, project INTEGER, embedding float[${DIMENSION}] distance_metric=cosine)`);
  const put = db.prepare('INSERT INTO v (id, project, embedding) VALUES (?, ?, ?)');
  db.transaction(() => {
    for (let row = 0; row < count; row += 1) {
      put.run(BigInt(row + 1), BigInt((row + 1) % PROJECTS), Buffer.from(floats.buffer, row * DIMENSION * 4, DIMENSION * 4));
    }
  })();
  return db;
}

function neighbours({ queries }: Data, db: Database.Database, filtered: boolean): Ask {
  const statement = db
    .prepare<[Buffer], number>(`SELECT id FROM v WHERE embedding MATCH ? AND k = ${MAX}${filtered ? ` AND project = ${WANTED}` : ''}`)
    .pluck();
  const bytes = queries.map((query) => Buffer.from(query.buffer));
  return (query) => statement.all(bytes[query] ?? Buffer.alloc(0)).sort(ascending);
}

/** Two loops over floats, and the ten best so far. */
function looped({ count, floats, queries }: Data): Ask {
  return (query) => {
    const wanted = queries[query] ?? new Float32Array(DIMENSION);
    const best: { id: number; score: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < count; row += 1) {
      let score = 0;
      const from = row * DIMENSION;
      for (let at = 0; at < DIMENSION; at += 1) score += (floats[from + at] as number) * (wanted[at] as number);
      if (best.length === MAX && score <= least) continue;
      best.push({ id: row + 1, score });
      best.sort((a, b) => b.score - a.score);
      if (best.length > MAX) best.pop();
      if (best.length === MAX) least = best.at(-1)?.score ?? least;
    }
    return best.map(({ id }) => id).sort(ascending);
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
