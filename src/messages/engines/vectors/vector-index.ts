import type { Vectors } from './amvi-read.ts';
import { createKernel, KERNEL_BLOCK } from './kernel.ts';
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
