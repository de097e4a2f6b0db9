import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halvesOf, numberOf } from '../../../../../src/messages/engines/vectors/half.ts';
import { createVectorIndex, type VectorIndex } from '../../../../../src/messages/engines/vectors/vector-index.ts';
import { createRandom, type Random } from '../../../../support/random.ts';

/** A vector of length 1; now and then one of few numbers, so that many are equally near. */
function randomVector(random: Random, dimension: number): Float32Array {
  const coarse = random.chance(0.5);
  const vector = Float32Array.from({ length: dimension }, () => (coarse ? random.integer(3) - 1 : random.integer(2001) / 1000 - 1));
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** By two loops over what is stored; scores as they would be without any rounding. */
function oracle(stored: ReadonlyMap<number, Uint16Array>, query: Float32Array, among: readonly number[] | null): { id: number; cosine: number }[] {
  const found: { id: number; cosine: number }[] = [];
  for (const [id, halves] of stored) {
    if (among !== null && !among.includes(id)) continue;
    let sum = 0;
    for (let at = 0; at < halves.length; at += 1) sum += numberOf(halves[at] ?? 0) * (query[at] ?? 0);
    found.push({ id, cosine: Math.min(1, Math.max(0, sum)) });
  }
  return found;
}

const NEAR = 2 ** -19;

function expectNearest(index: VectorIndex, stored: ReadonlyMap<number, Uint16Array>, query: Float32Array, most: number, among: readonly number[] | null): void {
  const { ids, scores } = index.nearest(query, most, among === null ? null : index.among(among));
  const expected = oracle(stored, query, among);
  const cosines = new Map(expected.map(({ id, cosine }) => [id, cosine]));
  ids.forEach((id, at) => {
    const score = scores[at] ?? -1;
    expect(Math.abs(score - (cosines.get(id) ?? 9))).toBeLessThan(NEAR);
    expect(score * 2 ** 20).toBe(Math.round(score * 2 ** 20));
    if (at > 0) expect((scores[at - 1] ?? 0) > score || (scores[at - 1] === score && (ids[at - 1] ?? 0) < id)).toBe(true);
  });
  expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  // Whatever was left out is not nearer than what was found.
  const last = ids.length === most ? (scores.at(-1) ?? 1) : 0;
  for (const { id, cosine } of expected) if (!ids.includes(id)) expect(cosine).toBeLessThan(last + NEAR);
}

/** To the nearest whole number; what lies in the middle goes to the even one (IEEE 754). */
function evenly(value: number): number {
  const down = Math.floor(value);
  if (value - down === 0.5) return down % 2 === 0 ? down : down + 1;
  return Math.round(value);
}

describe('the index of vectors', () => {
  it('scores from 0 to 1: 1 for the same vector, as near as halves come, and what is opposite is not found', { tags: ['MS-063'] }, () => {
    const random = createRandom(63);
    for (let round = 0; round < 200; round += 1) {
      const vector = randomVector(random, 384);
      const index = createVectorIndex(384);
      index.set(1, halvesOf(vector));
      index.set(2, halvesOf(vector.map((value) => -value)));
      const { ids, scores } = index.nearest(vector, 2, null);
      expect(Array.from(ids)).toEqual([1]);
      expect(scores[0]).toBeLessThanOrEqual(1);
      expect(scores[0]).toBeGreaterThan(1 - 2 ** -11);
    }
  });

  it.each([1, 2, 3])('finds what two loops find, filtered or not, while vectors come and go (seed %i)', { tags: ['MS-164'] }, (seed) => {
    const random = createRandom(seed);
    for (const dimension of [384, 8, 13]) {
      const index = createVectorIndex(dimension);
      const stored = new Map<number, Uint16Array>();
      const put = (id: number): void => {
        const halves = halvesOf(randomVector(random, dimension));
        stored.set(id, halves);
        index.set(id, halves);
      };
      for (let id = 1; id <= 60; id += 1) put(id * 3);
      for (let round = 0; round < 20; round += 1) {
        put(1 + random.integer(200));
        const gone = random.pick([...stored.keys()]);
        stored.delete(gone);
        index.remove(gone);
        index.remove(1_000_000);
        const among = random.chance(0.3) ? null : Array.from({ length: random.integer(80) }, () => 1 + random.integer(200));
        expectNearest(index, stored, randomVector(random, dimension), 1 + random.integer(30), among);
      }
      expect(index.size).toBe(stored.size);
      const again = createVectorIndex(dimension);
      again.load(index.vectors());
      const query = randomVector(random, dimension);
      expect(again.nearest(query, 50, null)).toEqual(index.nearest(query, 50, null));
    }
  });

  it('is the same over more vectors than it counts at once', () => {
    const random = createRandom(4);
    const slab = Uint16Array.from({ length: 9000 * 8 }, () => halvesOf(Float32Array.of(random.integer(7) / 20 - 0.15))[0] ?? 0);
    const index = createVectorIndex(8);
    index.load({ ids: Float64Array.from({ length: 9000 }, (_, at) => at + 1), slab });
    const stored = new Map(Array.from({ length: 9000 }, (_, at) => [at + 1, slab.slice(at * 8, at * 8 + 8)]));
    const query = randomVector(random, 8);
    expectNearest(index, stored, query, 100, null);
    const few = Array.from({ length: 1500 }, (_, at) => at * 6);
    expectNearest(index, stored, query, 2000, few);
  });

  it('says 1 for the same vector and leaves out what has nothing in common', () => {
    const index = createVectorIndex(8);
    index.set(1, halvesOf(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0)));
    index.set(2, halvesOf(Float32Array.of(-1, 0, 0, 0, 0, 0, 0, 0)));
    index.set(3, halvesOf(Float32Array.of(0, 1, 0, 0, 0, 0, 0, 0)));
    index.set(4, halvesOf(new Float32Array(8)));
    expect(index.nearest(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), 10, null)).toEqual({ ids: [1], scores: [1] });
    expect(createVectorIndex(8).nearest(new Float32Array(8), 10, null)).toEqual({ ids: [], scores: [] });
    expect(index.nearest(new Float32Array(8), 10, index.among([]))).toEqual({ ids: [], scores: [] });
  });

  it('scores every half as its number, the smallest too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x3c00 }), (half) => {
        const index = createVectorIndex(8);
        index.set(1, Uint16Array.of(half, 0, 0, 0, 0, 0, 0, 0));
        const steps = evenly(numberOf(half) * 2 ** 20);
        expect(index.nearest(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), 1, null).scores).toEqual(steps === 0 ? [] : [steps / 2 ** 20]);
      }),
      // The smallest are in the middle between two steps.
      { numRuns: 60, examples: Array.from({ length: 64 }, (_, half) => [half]) },
    );
  });
});
