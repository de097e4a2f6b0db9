import { ByteWriter } from '../segment/bytes.ts';
import type { SegmentPosting } from '../segment/postings.ts';
import { type GramSet, NARROW_BITS, NARROW_K_MAX } from '../tokenize/trigrams.ts';
import { createWideSet } from '../tokenize/trigrams-wide.ts';
import { type Buckets, createBuckets, createSortedBucket, LOW_BITS, TAG_BITS } from './buckets.ts';
import { paired } from './paired.ts';

const PAIR_BYTES = 4;
/** Bytes of each code point of a wide n-gram: the table that holds these is at most half full. */
const WIDE_CODE_POINT_BYTES = 8;

/** The number of documents that a tag can tell apart. */
export const MAX_DOCUMENTS = 2 ** TAG_BITS;

/** Pairs of n-gram and document: gathered as they come, sorted when there are enough. */
export interface GramPairs {
  /** Bytes that the pairs take in memory. */
  readonly bytes: number;
  /** Adds a document. They come in the order of their numbers; the last is less than `MAX_DOCUMENTS` after the first. */
  add(grams: GramSet, document: number): void;
  /** The n-grams in byte order, each valid until the next; removes all pairs. */
  postings(): Generator<SegmentPosting>;
  /** Removes all pairs, and keeps the memory. */
  clear(): void;
  /** Removes all pairs, and frees the memory. */
  release(): void;
}

/** @param k code points of an n-gram */
export function createGramPairs(k: number): GramPairs {
  const narrowBuckets = k <= NARROW_K_MAX ? Math.ceil(2 ** (NARROW_BITS * k - LOW_BITS)) : 0;
  const buckets = createBuckets();
  /** Wide n-grams, numbered in the order in which they came. */
  const wideNumbers = createWideSet(k);
  let ofDocument = new Uint32Array(1024);
  let first: number | undefined;

  function numbersOf(wide: Uint32Array): Uint32Array {
    const count = wide.length / k;
    if (ofDocument.length < count) ofDocument = new Uint32Array(2 * count);
    for (let at = 0; at < count; at += 1) ofDocument[at] = wideNumbers.add(wide, at * k);
    return ofDocument.subarray(0, count);
  }

  function* narrowPostings(): Generator<SegmentPosting> {
    const each = postingsOf(buckets, first ?? 0);
    for (let bucket = 0; bucket < narrowBuckets; bucket += 1) {
      if (!buckets.isEmpty(bucket)) yield* each(bucket, (low) => narrowBytes((bucket << LOW_BITS) | low, k));
    }
  }

  /** The postings of wide n-grams. Pairs are numbered again, in byte order, into buckets behind the old ones, so that none moves twice. */
  function* widePostings(): Generator<SegmentPosting> {
    const grams = wideNumbers.take();
    const inOrder = ordered(grams, k);
    const ranks = new Uint32Array(inOrder.length);
    for (const [rank, number] of inOrder.entries()) ranks[number] = rank;
    const many = Math.ceil(inOrder.length / 2 ** LOW_BITS);
    const firstBucket = narrowBuckets + many;
    for (let bucket = 0; bucket < many; bucket += 1) buckets.renumber(narrowBuckets + bucket, ranks.subarray(bucket << LOW_BITS), firstBucket);
    const each = postingsOf(buckets, first ?? 0);
    for (let bucket = 0; bucket < many; bucket += 1) {
      yield* each(firstBucket + bucket, (low) => wideBytes(grams, inOrder[(bucket << LOW_BITS) | low] ?? 0, k));
    }
  }

  function clear(): void {
    buckets.clear();
    wideNumbers.take();
    first = undefined;
  }

  return {
    get bytes() {
      return buckets.size * PAIR_BYTES + wideNumbers.size * WIDE_CODE_POINT_BYTES * k;
    },
    add({ narrow, wide }, document) {
      first ??= document;
      buckets.add(narrow, 0, document - first);
      if (wide.length > 0) buckets.add(numbersOf(wide), narrowBuckets, document - first);
    },
    *postings() {
      const sides = paired(narrowPostings(), widePostings(), (a, b) => Buffer.compare(a.trigram, b.trigram));
      for (const [narrow, wide] of sides) yield narrow ?? wide;
      clear();
    },
    clear,
    release() {
      clear();
      buckets.release();
    },
  };
}

/** The postings of the n-grams of a bucket, each valid until the next. */
function postingsOf(buckets: Buckets, base: number): (bucket: number, gramOf: (low: number) => Buffer) => Generator<SegmentPosting> {
  const sorted = createSortedBucket();
  const list = new ByteWriter(1 << 16);
  return function* (bucket, gramOf) {
    buckets.sort(bucket, sorted);
    const { count, lows, ends, tags } = sorted;
    for (let at = 0, start = 0; at < count; at += 1) {
      const end = ends[at] ?? 0;
      list.clear();
      list.differences(tags, start, end, base);
      yield { trigram: gramOf(lows[at] ?? 0), count: end - start, last: base + (tags[end - 1] ?? 0), differences: list.view() };
      start = end;
    }
  };
}

/** Places of n-grams in byte order, which is the order of their code points. */
function ordered(grams: Uint32Array, k: number): Uint32Array {
  return Uint32Array.from({ length: grams.length / k }, (_, at) => at).sort((a, b) => {
    for (let at = 0; at < k; at += 1) {
      const order = (grams[a * k + at] ?? 0) - (grams[b * k + at] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function narrowBytes(number: number, k: number): Buffer {
  const bytes = Buffer.allocUnsafe(k);
  for (let at = 0; at < k; at += 1) bytes[at] = (number >>> (NARROW_BITS * (k - 1 - at))) & 0x7f;
  return bytes;
}

function wideBytes(grams: Uint32Array, place: number, k: number): Buffer {
  return Buffer.from(String.fromCodePoint(...grams.subarray(place * k, (place + 1) * k)));
}
