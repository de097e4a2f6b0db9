import type { GramSet } from '../trigrams.ts';

/**
 * Numbers for n-grams. Narrow ones have theirs by themselves; wide ones get the next number when they come first, for as
 * long as a build lasts.
 */
export interface Vocabulary {
  /** One more than the highest number so far. */
  readonly size: number;
  /** The numbers of all n-grams of a set, in any order. */
  numbersOf(grams: GramSet): Uint32Array;
  /** UTF-8 of an n-gram. */
  bytesOf(number: number): Buffer;
  /** Those numbers of the vocabulary that `has` says yes to, in byte order of their n-grams. */
  inOrder(has: (number: number) => boolean): Generator<{ readonly number: number; readonly bytes: Buffer }>;
}

/** Larger n-grams than this have no numbers by themselves (`trigrams.ts`). */
const NARROW_K_MAX = 3;

/** @param k code points of an n-gram */
export function createVocabulary(k: number): Vocabulary {
  const wideFrom = k <= NARROW_K_MAX ? 2 ** (7 * k) : 0;
  const numbers = new Map<string, number>();
  const texts: string[] = [];

  function wideNumber(text: string): number {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const number = wideFrom + texts.length;
    numbers.set(text, number);
    texts.push(text);
    return number;
  }

  function bytesOf(number: number): Buffer {
    if (number >= wideFrom) return Buffer.from(texts[number - wideFrom] ?? '');
    const bytes = Buffer.allocUnsafe(k);
    for (let at = 0; at < k; at += 1) bytes[at] = (number >>> (7 * (k - 1 - at))) & 0x7f;
    return bytes;
  }

  return {
    get size() {
      return wideFrom + texts.length;
    },
    numbersOf({ narrow, wide }) {
      const all = new Uint32Array(narrow.length + wide.length / k);
      all.set(narrow);
      for (let at = 0, to = narrow.length; at < wide.length; at += k, to += 1) all[to] = wideNumber(String.fromCodePoint(...wide.subarray(at, at + k)));
      return all;
    },
    bytesOf,
    *inOrder(has) {
      const wide = texts
        .map((text, at) => ({ number: wideFrom + at, bytes: Buffer.from(text) }))
        .filter(({ number }) => has(number))
        .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
      let at = 0;
      // The numbers of narrow n-grams are in the order of their bytes already.
      for (let number = 0; number < wideFrom; number += 1) {
        if (!has(number)) continue;
        const bytes = bytesOf(number);
        for (let next = wide[at]; next !== undefined && Buffer.compare(next.bytes, bytes) < 0; next = wide[at]) {
          yield next;
          at += 1;
        }
        yield { number, bytes };
      }
      yield* wide.slice(at);
    },
  };
}
