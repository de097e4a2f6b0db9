import type { GramSet } from '../trigrams.ts';

/** N-grams up to this size are numbers by themselves, if they are ASCII (`trigrams.ts`). */
const NARROW_K_MAX = 3;
const BITS_OF_NARROW = 7;

/** A pair takes two numbers of four bytes, and as much again while it is sorted. */
export const PAIR_BYTES = 16;
const FIRST_PAIRS = 16_384;

/** An n-gram and where its documents are among the sorted ones. */
export interface GramGroup {
  /** UTF-8. */
  readonly gram: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Pairs of n-gram and document: gathered as they come, sorted when there are enough. */
export interface GramPairs {
  readonly size: number;
  /** Documents come in the order of their numbers. */
  add(grams: GramSet, document: number): void;
  /** The n-grams in byte order; `documents` has the documents of each in their order until `clear`. */
  groups(): Generator<GramGroup>;
  readonly documents: Uint32Array;
  /** Forgets all, and keeps the memory. */
  clear(): void;
}

/** @param k code points of an n-gram */
export function createGramPairs(k: number): GramPairs {
  /** From here on numbers are those of wide n-grams, in the order in which they came. */
  const wideFrom = k <= NARROW_K_MAX ? 2 ** (BITS_OF_NARROW * k) : 0;
  const ofText = new Map<string, number>();
  const texts: string[] = [];
  let numbers = new Uint32Array(FIRST_PAIRS);
  let documents = new Uint32Array(FIRST_PAIRS);
  let otherNumbers = new Uint32Array(0);
  let otherDocuments = new Uint32Array(0);
  let size = 0;

  function wideNumber(text: string): number {
    const known = ofText.get(text);
    if (known !== undefined) return known;
    const number = wideFrom + texts.length;
    ofText.set(text, number);
    texts.push(text);
    return number;
  }

  function reserve(more: number): void {
    if (size + more <= numbers.length) return;
    const capacity = Math.max(2 * numbers.length, size + more);
    [numbers, documents] = [grown(numbers, capacity), grown(documents, capacity)];
  }

  /** A radix sort from the lowest digit: equal numbers keep their order, and memory is gone through, not jumped about in. */
  function sort(): void {
    if (otherNumbers.length < size) [otherNumbers, otherDocuments] = [new Uint32Array(numbers.length), new Uint32Array(numbers.length)];
    const highest = wideFrom + texts.length;
    for (let shift = 0; 2 ** shift < highest; shift += DIGIT_BITS) {
      scatter(numbers, documents, otherNumbers, otherDocuments, size, shift);
      [numbers, otherNumbers] = [otherNumbers, numbers];
      [documents, otherDocuments] = [otherDocuments, documents];
    }
  }

  function* narrowGroups(end: number): Generator<GramGroup> {
    for (let start = 0; start < end; ) {
      const number = numbers[start] ?? 0;
      let next = start + 1;
      while (next < end && numbers[next] === number) next += 1;
      yield { gram: narrowBytes(number, k), start, end: next };
      start = next;
    }
  }

  function wideGroups(first: number): GramGroup[] {
    const groups: GramGroup[] = [];
    for (let start = first; start < size; ) {
      const number = numbers[start] ?? 0;
      let end = start + 1;
      while (end < size && numbers[end] === number) end += 1;
      groups.push({ gram: Buffer.from(texts[number - wideFrom] ?? ''), start, end });
      start = end;
    }
    return groups.sort((a, b) => Buffer.compare(a.gram, b.gram));
  }

  return {
    get size() {
      return size;
    },
    get documents() {
      return documents;
    },
    add({ narrow, wide }, document) {
      reserve(narrow.length + wide.length / k);
      const first = size;
      numbers.set(narrow, size);
      size += narrow.length;
      for (let at = 0; at < wide.length; at += k) {
        numbers[size] = wideNumber(String.fromCodePoint(...wide.subarray(at, at + k)));
        size += 1;
      }
      documents.fill(document, first, size);
    },
    *groups() {
      sort();
      const firstWide = lowerBound(numbers, size, wideFrom);
      const wide = wideGroups(firstWide);
      let at = 0;
      for (const group of narrowGroups(firstWide)) {
        for (let next = wide[at]; next !== undefined && Buffer.compare(next.gram, group.gram) < 0; next = wide[at]) {
          yield next;
          at += 1;
        }
        yield group;
      }
      yield* wide.slice(at);
    },
    clear() {
      size = 0;
      ofText.clear();
      texts.length = 0;
    },
  };
}

/** Of a digit: so many places are written to by turns, and more would be more than the processor has at hand. */
const DIGIT_BITS = 8;
const next = new Uint32Array(2 ** DIGIT_BITS);

function scatter(numbers: Uint32Array, documents: Uint32Array, toNumbers: Uint32Array, toDocuments: Uint32Array, size: number, shift: number): void {
  const mask = next.length - 1;
  next.fill(0);
  for (let at = 0; at < size; at += 1) {
    const digit = ((numbers[at] ?? 0) >>> shift) & mask;
    next[digit] = (next[digit] ?? 0) + 1;
  }
  let begin = 0;
  for (let digit = 0; digit < next.length; digit += 1) {
    const many = next[digit] ?? 0;
    next[digit] = begin;
    begin += many;
  }
  for (let at = 0; at < size; at += 1) {
    const number = numbers[at] ?? 0;
    const digit = (number >>> shift) & mask;
    const to = next[digit] ?? 0;
    next[digit] = to + 1;
    toNumbers[to] = number;
    toDocuments[to] = documents[at] ?? 0;
  }
}

/** Place of the first number that is not below `from`. */
function lowerBound(numbers: Uint32Array, size: number, from: number): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function narrowBytes(number: number, k: number): Buffer {
  const bytes = Buffer.allocUnsafe(k);
  for (let at = 0; at < k; at += 1) bytes[at] = (number >>> (BITS_OF_NARROW * (k - 1 - at))) & 0x7f;
  return bytes;
}

function grown(list: Uint32Array<ArrayBuffer>, capacity: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(capacity);
  larger.set(list);
  return larger;
}
