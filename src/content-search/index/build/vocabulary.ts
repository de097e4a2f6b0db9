import type { GramSet } from '../trigrams.ts';

/** Numbers for n-grams: the first one that comes gets 0. Those that are common come early, so what is counted by them lies close together. */
export interface Vocabulary {
  /** How many n-grams have a number. */
  readonly size: number;
  /** The numbers of all n-grams of a set, in any order. */
  numbersOf(grams: GramSet): Uint32Array;
  /** All numbers in byte order of their n-grams, with the UTF-8 of these. */
  inOrder(): Generator<{ readonly number: number; readonly bytes: Buffer }>;
  /** Forgets all. Costs as much as there is, where a new one costs its whole table. */
  clear(): void;
}

/** Larger n-grams than this are wide, whatever they are made of (`trigrams.ts`). */
const NARROW_K_MAX = 3;

/** @param k code points of an n-gram */
export function createVocabulary(k: number): Vocabulary {
  /** By key of a narrow n-gram: its number + 1. Pages that nobody touches cost nothing. */
  const ofKey = new Uint32Array(k <= NARROW_K_MAX ? 2 ** (7 * k) : 0);
  const ofText = new Map<string, number>();
  let narrow: number[] = [];
  let size = 0;

  function narrowNumber(key: number): number {
    const known = ofKey[key] ?? 0;
    if (known !== 0) return known - 1;
    size += 1;
    ofKey[key] = size;
    narrow.push(key);
    return size - 1;
  }

  function wideNumber(text: string): number {
    const known = ofText.get(text);
    if (known !== undefined) return known;
    size += 1;
    ofText.set(text, size - 1);
    return size - 1;
  }

  function bytesOfKey(key: number): Buffer {
    const bytes = Buffer.allocUnsafe(k);
    for (let at = 0; at < k; at += 1) bytes[at] = (key >>> (7 * (k - 1 - at))) & 0x7f;
    return bytes;
  }

  return {
    get size() {
      return size;
    },
    numbersOf(grams) {
      const all = new Uint32Array(grams.narrow.length + grams.wide.length / k);
      for (let at = 0; at < grams.narrow.length; at += 1) all[at] = narrowNumber(grams.narrow[at] ?? 0);
      for (let at = 0, to = grams.narrow.length; at < grams.wide.length; at += k, to += 1) {
        all[to] = wideNumber(String.fromCodePoint(...grams.wide.subarray(at, at + k)));
      }
      return all;
    },
    *inOrder() {
      const wide = Array.from(ofText, ([text, number]) => ({ number, bytes: Buffer.from(text) })).sort((a, b) => Buffer.compare(a.bytes, b.bytes));
      let at = 0;
      // The order of narrow keys is the order of their bytes.
      for (const key of Uint32Array.from(narrow).sort()) {
        const bytes = bytesOfKey(key);
        for (let next = wide[at]; next !== undefined && Buffer.compare(next.bytes, bytes) < 0; next = wide[at]) {
          yield next;
          at += 1;
        }
        yield { number: (ofKey[key] ?? 0) - 1, bytes };
      }
      yield* wide.slice(at);
    },
    clear() {
      for (const key of narrow) ofKey[key] = 0;
      narrow = [];
      ofText.clear();
      size = 0;
    },
  };
}
