/** The low bits of a number that a word keeps; the high bits choose the bucket, and the rest of the word is a tag. */
export const LOW_BITS = 12;
export const TAG_BITS = 32 - LOW_BITS;

/**
 * Pairs of number and tag, four bytes each. The high bits of a number choose the bucket, in which pairs lie in the order in
 * which they came. A bucket is small enough to be sorted in the cache of the processor; a sort of all pairs at once reads all
 * of them from memory several times.
 */
export interface Buckets {
  /** The number of pairs. */
  readonly size: number;
  /** @param first bucket of the number 0 */
  add(numbers: Uint32Array, first: number, tag: number): void;
  isEmpty(bucket: number): boolean;
  /** Moves the pairs of a bucket to `into`, sorted by the low bits of the number. */
  sort(bucket: number, into: SortedBucket): void;
  /** Empties a bucket, and adds its pairs again under other numbers. @param numbers new numbers, by the low bits of the old ones @param first bucket of the new number 0 */
  renumber(bucket: number, numbers: Uint32Array, first: number): void;
  /** Removes all pairs, and keeps the memory. */
  clear(): void;
  /** Removes all pairs, and shrinks the buffers to their first size. */
  release(): void;
}

export interface SortedBucket {
  /** The number of different numbers. */
  count: number;
  /** The low bits of each number, ascending. */
  readonly lows: Uint32Array;
  /** The end of the tags of each of these numbers; they begin where those of the number before end. */
  readonly ends: Uint32Array;
  /** The tags; those of a number in the order in which they came. The array may be longer than the tags. */
  tags: Uint32Array;
}

export const createSortedBucket = (): SortedBucket => ({
  count: 0,
  lows: new Uint32Array(LOWS),
  ends: new Uint32Array(LOWS),
  tags: new Uint32Array(CHUNK),
});

const LOWS = 2 ** LOW_BITS;
const CHUNK_BITS = 8;
const CHUNK = 2 ** CHUNK_BITS;
const FIRST_WORDS = 2 ** 16;
/** Up to here buffers grow step by step: a job of a few files has no use for more, and the collector of garbage would run for it. */
const SOME_WORDS = 2 ** 20;
/** Words that a large job gets at once: pages that were never written to take no memory, and growing by halves would copy. */
const MANY_WORDS = 12 * 2 ** 20;
const FIRST_BUCKETS = 1024;

export function createBuckets(): Buckets {
  let words = new Uint32Array(FIRST_WORDS);
  /** The chunk that follows a chunk; chunks are counted from 1, so that 0 is none. */
  let following = new Uint32Array(FIRST_WORDS / CHUNK);
  /** For each bucket its first chunk, and the place of its next word; a place at the start of a chunk means that a new chunk is needed. */
  let heads = new Uint32Array(FIRST_BUCKETS);
  let tails = new Uint32Array(FIRST_BUCKETS);
  let chunks = 1;
  /** The first of the chunks that were used before. */
  let spare = 0;
  let size = 0;
  let taken = new Uint32Array(CHUNK);
  const places = new Uint32Array(LOWS);

  function newChunk(): number {
    if (spare !== 0) {
      const chunk = spare;
      spare = following[chunk] ?? 0;
      following[chunk] = 0;
      return chunk;
    }
    const chunk = chunks;
    chunks += 1;
    if (chunks * CHUNK > words.length) {
      words = grown(words, words.length < SOME_WORDS ? 4 * words.length : Math.max(2 * words.length, MANY_WORDS));
      following = grown(following, words.length / CHUNK);
    }
    return chunk;
  }

  /** Gives a bucket its next chunk, and returns the place of its first word. */
  function extended(bucket: number): number {
    if (bucket >= heads.length) [heads, tails] = [grown(heads, 2 * bucket), grown(tails, 2 * bucket)];
    const chunk = newChunk();
    const tail = tails[bucket] ?? 0;
    if (tail === 0) heads[bucket] = chunk;
    else following[(tail >>> CHUNK_BITS) - 1] = chunk;
    return chunk << CHUNK_BITS;
  }

  /** Copies the words of a bucket to `taken`, frees its chunks, and returns the number of words. */
  function drain(bucket: number): number {
    const tail = tails[bucket] ?? 0;
    let count = 0;
    for (let chunk = heads[bucket] ?? 0; chunk !== 0; ) {
      const start = chunk << CHUNK_BITS;
      const end = tail > start && tail <= start + CHUNK ? tail : start + CHUNK;
      if (count + CHUNK > taken.length) taken = grown(taken, 2 * taken.length);
      taken.set(words.subarray(start, end), count);
      count += end - start;
      const next = following[chunk] ?? 0;
      following[chunk] = spare;
      spare = chunk;
      chunk = next;
    }
    if (tail !== 0) [heads[bucket], tails[bucket]] = [0, 0];
    size -= count;
    return count;
  }

  function put(number: number, first: number, tag: number): void {
    const bucket = first + (number >>> LOW_BITS);
    let at = tails[bucket] ?? 0;
    if ((at & (CHUNK - 1)) === 0) at = extended(bucket);
    words[at] = (tag << LOW_BITS) | (number & (LOWS - 1));
    tails[bucket] = at + 1;
  }

  function clear(): void {
    [chunks, spare, size] = [1, 0, 0];
    for (const list of [following, heads, tails]) list.fill(0);
  }

  return {
    get size() {
      return size;
    },
    add(numbers, first, tag) {
      for (let i = 0; i < numbers.length; i += 1) put(numbers[i] ?? 0, first, tag);
      size += numbers.length;
    },
    isEmpty: (bucket) => (tails[bucket] ?? 0) === 0,
    sort(bucket, into) {
      const count = drain(bucket);
      if (into.tags.length < count) into.tags = new Uint32Array(taken.length);
      if (count <= FEW) sortFew(taken.subarray(0, count), into);
      else sortMany(taken, count, into, places);
    },
    renumber(bucket, numbers, first) {
      const count = drain(bucket);
      for (let i = 0; i < count; i += 1) {
        const word = taken[i] ?? 0;
        put(numbers[word & (LOWS - 1)] ?? 0, first, word >>> LOW_BITS);
      }
      size += count;
    },
    clear,
    release() {
      words = new Uint32Array(FIRST_WORDS);
      following = new Uint32Array(FIRST_WORDS / CHUNK);
      taken = new Uint32Array(CHUNK);
      clear();
    },
  };
}

function grown(list: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(list);
  return larger;
}

/** Pairs up to which it is faster to put them in order one by one than to count all numbers that there could be: those of one changed file. */
const FEW = 64;

function sortFew(words: Uint32Array, into: SortedBucket): void {
  for (let i = 1; i < words.length; i += 1) {
    const word = words[i] ?? 0;
    const low = word & (LOWS - 1);
    let at = i;
    for (; at > 0 && ((words[at - 1] ?? 0) & (LOWS - 1)) > low; at -= 1) words[at] = words[at - 1] ?? 0;
    words[at] = word;
  }
  const { lows, ends, tags } = into;
  let count = 0;
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? 0;
    const low = word & (LOWS - 1);
    if (count === 0 || lows[count - 1] !== low) {
      lows[count] = low;
      count += 1;
    }
    tags[i] = word >>> LOW_BITS;
    ends[count - 1] = i + 1;
  }
  into.count = count;
}

/** @param places of the next tag of each number; only used within this call */
function sortMany(words: Uint32Array, many: number, into: SortedBucket, places: Uint32Array): void {
  const { lows, ends, tags } = into;
  places.fill(0);
  for (let i = 0; i < many; i += 1) {
    const low = (words[i] ?? 0) & (LOWS - 1);
    places[low] = (places[low] ?? 0) + 1;
  }
  let [count, start] = [0, 0];
  for (let low = 0; low < LOWS; low += 1) {
    const its = places[low] ?? 0;
    if (its === 0) continue;
    places[low] = start;
    start += its;
    lows[count] = low;
    ends[count] = start;
    count += 1;
  }
  for (let i = 0; i < many; i += 1) {
    const word = words[i] ?? 0;
    const low = word & (LOWS - 1);
    const to = places[low] ?? 0;
    tags[to] = word >>> LOW_BITS;
    places[low] = to + 1;
  }
  into.count = count;
}
