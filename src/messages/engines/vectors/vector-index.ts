import type { Vectors } from './amvi-read.ts';
import { KERNEL_CODE } from './kernel-code.ts';
import { SCORE_STEPS, top } from './top.ts';

/** Documents by how near their vectors are: cosines, at least 2^-20, at most 1, in multiples of 2^-20; the nearest first, then by id. */
export interface Nearest {
  readonly ids: readonly number[];
  readonly scores: readonly number[];
}

/** Documents that may be found: vectors of the index by their place, ascending. Good until the index changes. */
export type Among = Uint32Array;

/** Vectors in memory, and the exact search in them. */
export interface VectorIndex {
  readonly size: number;
  /** Replaces everything. */
  load(vectors: Vectors): void;
  /** Adds a vector, or puts it in the place of the one that the document had. */
  set(id: number, halves: Uint16Array): void;
  remove(id: number): void;
  among(ids: ArrayLike<number>): Among;
  /** @param query a vector of length 1 @param most documents that are found @param among `null`: all */
  nearest(query: Float32Array, most: number, among: Among | null): Nearest;
  /** Everything, as a file has it. */
  vectors(): Vectors;
}

/** Filtered first when fewer than this share pass: reading here and there costs more for each vector. */
const FILTER_FIRST = 0.25;

/** 2 bytes for each number and about 50 for each vector: 82 MB for 100,000 vectors of 384. */
export function createVectorIndex(dimension: number): VectorIndex {
  const stride = Math.ceil(dimension / 8) * 8;
  let kernel = createKernel(stride);
  let ids: number[] = [];
  let places = new Map<number, number>();
  let room = 0;

  function reserve(count: number): void {
    if (count <= room) return;
    room = Math.max(count, Math.ceil(room * 1.25), 1024);
    kernel.reserve(room * stride);
  }

  const vectorAt = (place: number): Uint16Array => kernel.halves(place * stride, dimension);

  function all(): Int32Array {
    const steps = new Int32Array(ids.length);
    for (let from = 0; from < ids.length; from += KERNEL_BLOCK) steps.set(kernel.all(from, Math.min(KERNEL_BLOCK, ids.length - from)), from);
    return steps;
  }

  function some(among: Among): Int32Array {
    const steps = new Int32Array(among.length);
    for (let from = 0; from < among.length; from += KERNEL_BLOCK) steps.set(kernel.some(among.subarray(from, from + KERNEL_BLOCK)), from);
    return steps;
  }

  function stepsAmong(among: Among): Int32Array {
    if (among.length < ids.length * FILTER_FIRST) return some(among);
    const steps = all();
    return new Int32Array(among.length).map((_, index) => steps[among[index] ?? 0] ?? 0);
  }

  return {
    get size() {
      return ids.length;
    },
    load(vectors) {
      ids = Array.from(vectors.ids);
      places = new Map(ids.map((id, place) => [id, place]));
      kernel = createKernel(stride);
      room = 0;
      reserve(ids.length);
      if (stride === dimension) kernel.halves(0, vectors.slab.length).set(vectors.slab);
      else for (const place of ids.keys()) vectorAt(place).set(vectors.slab.subarray(place * dimension, (place + 1) * dimension));
    },
    set(id, halves) {
      const place = places.get(id) ?? ids.length;
      if (place === ids.length) {
        reserve(place + 1);
        ids.push(id);
        places.set(id, place);
      }
      vectorAt(place).set(halves);
    },
    remove(id) {
      const place = places.get(id);
      if (place === undefined) return;
      // The last one takes the free place.
      const lastId = ids.pop() ?? id;
      places.delete(id);
      if (lastId === id) return;
      vectorAt(place).set(vectorAt(ids.length));
      ids[place] = lastId;
      places.set(lastId, place);
    },
    among(wanted) {
      const found = new Uint8Array(ids.length);
      for (let index = 0; index < wanted.length; index += 1) {
        const place = places.get(wanted[index] ?? 0);
        if (place !== undefined) found[place] = 1;
      }
      return Uint32Array.from(placesIn(found));
    },
    nearest(query, most, among) {
      kernel.query(query);
      const steps = among === null ? all() : stepsAmong(among);
      const placeAt = (index: number): number => (among === null ? index : (among[index] ?? 0));
      const found = top(steps, (index) => ids[placeAt(index)] ?? 0, most);
      return { ids: found.map((index) => ids[placeAt(index)] ?? 0), scores: found.map((index) => (steps[index] ?? 0) / SCORE_STEPS) };
    },
    vectors() {
      const slab = new Uint16Array(ids.length * dimension);
      for (const place of ids.keys()) slab.set(vectorAt(place), place * dimension);
      return { ids: Float64Array.from(ids), slab };
    },
  };
}

function placesIn(found: Uint8Array): number[] {
  const places: number[] = [];
  for (let place = 0; place < found.length; place += 1) if (found[place] === 1) places.push(place);
  return places;
}

const PAGE = 65_536;
/** Vectors that one call looks at. */
const KERNEL_BLOCK = 4096;
/** The query at 0 (up to 4096 floats), then the numbers of vectors, then what comes out, then the vectors. */
const AT = { query: 0, rows: 16_384, out: 32_768, vectors: 49_152 } as const;

/** The part of the vector search that runs in WebAssembly, with the memory that the vectors lie in. */
interface Kernel {
  /** The vectors: views are good until the next `reserve`. */
  halves(from: number, count: number): Uint16Array;
  /** Makes room for so many halves. Throws RangeError when there is none. */
  reserve(halves: number): void;
  query(vector: Float32Array): void;
  /** Cosines with vectors `from` to `from + count`, at most KERNEL_BLOCK, in steps of 2^-20, 0 to 2^20; good until the next call. */
  all(from: number, count: number): Int32Array;
  /** The same for these vectors. */
  some(rows: Uint32Array): Int32Array;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  all(vector: number, count: number, bytes: number, query: number, out: number): void;
  some(vectors: number, rows: number, count: number, bytes: number, query: number, out: number): void;
}

let code: WebAssembly.Module | undefined;

/** @param stride halves from one vector to the next, a multiple of 8 */
function createKernel(stride: number): Kernel {
  code ??= new WebAssembly.Module(Buffer.from(KERNEL_CODE, 'base64'));
  // kernel.wat says what it exports.
  const { memory, all, some } = new WebAssembly.Instance(code).exports as Exports;
  const bytes = stride * 2;
  return {
    halves: (from, count) => new Uint16Array(memory.buffer, AT.vectors + from * 2, count),
    reserve(halves) {
      const pages = Math.ceil((AT.vectors + halves * 2 - memory.buffer.byteLength) / PAGE);
      if (pages > 0) memory.grow(pages);
    },
    query(vector) {
      const floats = new Float32Array(memory.buffer, AT.query, stride);
      floats.fill(0);
      // float16 decodes scaled by 2^-112; pre-scale the query.
      vector.forEach((value, index) => {
        floats[index] = value * 2 ** 112;
      });
    },
    all(from, count) {
      if (count > 0) all(AT.vectors + from * bytes, count, bytes, AT.query, AT.out);
      return new Int32Array(memory.buffer, AT.out, count);
    },
    some(rows) {
      new Uint32Array(memory.buffer, AT.rows, rows.length).set(rows);
      if (rows.length > 0) some(AT.vectors, AT.rows, rows.length, bytes, AT.query, AT.out);
      return new Int32Array(memory.buffer, AT.out, rows.length);
    },
  };
}
