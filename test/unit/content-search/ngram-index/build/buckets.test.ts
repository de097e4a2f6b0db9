import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Buckets, createBuckets, createSortedBucket, LOW_BITS, TAG_BITS } from '../../../../../src/content-search/ngram-index/build/buckets.ts';

const BUCKETS = 3;
const pair = fc.record({ number: fc.integer({ min: 0, max: BUCKETS * 2 ** LOW_BITS - 1 }), tag: fc.integer({ min: 0, max: 2 ** TAG_BITS - 1 }) });
/** Few numbers and many, so that some buckets have several chunks, and few pairs, which are put in order in another way. */
const pairs = fc.oneof(
  fc.array(pair, { maxLength: 200, size: 'max' }),
  fc.array(pair, { maxLength: 3000, size: 'max' }),
  fc.array(fc.record({ number: fc.integer({ max: 3, min: 0 }), tag: fc.integer({ min: 0, max: 9 }) }), { maxLength: 2000, size: 'max' }),
);

interface Pair {
  readonly number: number;
  readonly tag: number;
}

function added(buckets: Buckets, all: readonly Pair[], first: number): Buckets {
  for (const { number, tag } of all) buckets.add(Uint32Array.of(number), first, tag);
  return buckets;
}

/** What lies in the buckets from `first` on, by number. */
function sorted(buckets: Buckets, first: number): readonly Pair[] {
  const into = createSortedBucket();
  return Array.from({ length: BUCKETS }, (_, bucket) => {
    buckets.sort(first + bucket, into);
    return Array.from(into.lows.subarray(0, into.count), (low, at) =>
      Array.from(into.tags.subarray(at === 0 ? 0 : into.ends[at - 1], into.ends[at]), (tag) => ({ number: bucket * 2 ** LOW_BITS + low, tag })),
    ).flat();
  }).flat();
}

const byNumber = (all: readonly Pair[]): readonly Pair[] => all.toSorted((a, b) => a.number - b.number);

describe('buckets of pairs', () => {
  it('give every pair by number, in the order in which they came, and have room for others afterwards', () => {
    const buckets = createBuckets();
    fc.assert(
      fc.property(pairs, fc.nat(3000), (all, first) => {
        expect(sorted(added(buckets, all, first), first)).toEqual(byNumber(all));
        expect(buckets.size).toBe(0);
        expect(buckets.isEmpty(first)).toBe(true);
      }),
      { numRuns: 24 },
    );
  });

  it('give pairs by the numbers that took the place of others', () => {
    const buckets = createBuckets();
    const last = BUCKETS * 2 ** LOW_BITS - 1;
    fc.assert(
      fc.property(pairs, (all) => {
        added(buckets, all, 0);
        for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
          const turned = Uint32Array.from({ length: 2 ** LOW_BITS }, (_, low) => last - (bucket * 2 ** LOW_BITS + low));
          buckets.renumber(bucket, turned, BUCKETS);
        }
        expect(buckets.size).toBe(all.length);
        // Pairs of one number were in one bucket, and so their order is kept.
        expect(sorted(buckets, BUCKETS)).toEqual(byNumber(all.map(({ number, tag }) => ({ number: last - number, tag }))));
      }),
      { numRuns: 8 },
    );
  });

  it('forget all, and take more than they had room for', () => {
    const buckets = createBuckets();
    const many = Uint32Array.from({ length: 100_000 }, (_, at) => at % 2 ** LOW_BITS);
    buckets.add(many, 0, 1);
    buckets.clear();
    expect(buckets.isEmpty(0)).toBe(true);
    for (const tag of [5, 6]) buckets.add(many, 0, tag);
    const into = createSortedBucket();
    buckets.sort(0, into);
    const end = into.ends[0] ?? 0;
    expect(Array.from(into.tags.subarray(0, end))).toEqual([...Array<number>(end / 2).fill(5), ...Array<number>(end / 2).fill(6)]);
    buckets.release();
    expect(buckets.size).toBe(0);
    buckets.add(Uint32Array.of(7), 0, 3);
    expect(sorted(buckets, 0)).toEqual([{ number: 7, tag: 3 }]);
  });
});
