import { isAscii } from 'node:buffer';
import { createWideSet } from './trigrams-wide.ts';

/** The size of the n-grams that the tokenizer takes, in code points (bloom_ngram_k). */
export const NGRAM_K = { default: 3, min: 1, max: 8 } as const satisfies Record<string, number>;

/** N-grams of ASCII up to this size are numbers of 7 bits for each character, which a bit map has room for. */
export const NARROW_K_MAX = 3;
/** Of a character. */
export const NARROW_BITS = 7;

/** The different n-grams of a text, in the order in which they first occur within each of the two lists. */
export interface GramSet {
  readonly k: number;
  /** Those of ASCII characters only, if k is at most 3: 7 bits for each character, the first one highest. */
  readonly narrow: Uint32Array;
  /** All others: k code points each. */
  readonly wide: Uint32Array;
}

/** The n-grams of a query, where few are looked at: each once, in the order of their first occurrence. Empty if the text is shorter than k. */
export function gramsOf(text: string, k: number): string[] {
  const characters = Array.from(text);
  return [...new Set(characters.slice(0, Math.max(0, characters.length - k + 1)).map((_, at) => characters.slice(at, at + k).join('')))];
}

/** The n-grams of a set as text, `narrow` first. */
export function* gramTexts({ k, narrow, wide }: GramSet): Generator<string> {
  for (const key of narrow) yield narrowText(key, k);
  for (let at = 0; at < wide.length; at += k) yield String.fromCodePoint(...wide.subarray(at, at + k));
}

function narrowText(key: number, k: number): string {
  let text = '';
  for (let shift = 7 * (k - 1); shift >= 0; shift -= 7) text += String.fromCharCode((key >>> shift) & 0x7f);
  return text;
}

/** Gathers the n-grams of one text after the other. Keeps its memory, so there should be one per thread. */
export interface GramCollector {
  /**
   * The n-grams of ASCII bytes, CRLF taken as LF.
   *
   * @returns the number of characters, or undefined if a byte is not ASCII or k is large; then nothing was gathered
   */
  addAscii(bytes: Uint8Array): number | undefined;
  /** The n-grams of a text in well-formed UTF-16, CRLF taken as LF; answers its number of code points. */
  addText(text: string): number;
  /** Different n-grams since the last call of `take`. */
  readonly size: number;
  /** What was gathered since the last call. */
  take(): GramSet;
}

const CR = 0x0d;
const LF = 0x0a;
const ASCII_END = 0x80;

export function createGramCollector(k: number): GramCollector {
  const hasNarrow = k <= NARROW_K_MAX;
  const mask = hasNarrow ? 2 ** (7 * k) - 1 : 0;
  const seen = new Uint32Array(hasNarrow ? (mask + 1) / 32 : 0);
  const wide = createWideSet(k);
  let narrow = new Uint32Array(4096);
  let narrowCount = 0;

  function note(key: number): void {
    const word = key >>> 5;
    const bits = seen[word] ?? 0;
    const bit = 1 << (key & 31);
    if ((bits & bit) !== 0) return;
    seen[word] = bits | bit;
    if (narrowCount === narrow.length) narrow = grown(narrow, 2 * narrow.length);
    narrow[narrowCount] = key;
    narrowCount += 1;
  }

  /** The bit map is cleared by its entries, which are few. */
  function takeNarrow(): Uint32Array {
    const keys = narrow.slice(0, narrowCount);
    for (const key of keys) seen[key >>> 5] = 0;
    narrowCount = 0;
    return keys;
  }

  /** Nearly every byte of a tree goes through this loop: so it holds nothing but the key and its bit, which made it twice as fast. */
  function addPlain(bytes: Uint8Array): void {
    let key = 0;
    for (let at = 0; at < k - 1; at += 1) key = (key << 7) | (bytes[at] ?? 0);
    if (narrow.length < narrowCount + bytes.length) narrow = grown(narrow, 2 * (narrowCount + bytes.length));
    const keys = narrow;
    let count = narrowCount;
    for (let at = k - 1; at < bytes.length; at += 1) {
      key = ((key << 7) | (bytes[at] ?? 0)) & mask;
      const word = key >>> 5;
      const bits = seen[word] ?? 0;
      const bit = 1 << (key & 31);
      if ((bits & bit) === 0) {
        seen[word] = bits | bit;
        keys[count] = key;
        count += 1;
      }
    }
    narrowCount = count;
  }

  function addPoints(points: Uint32Array): void {
    let key = 0;
    let afterWide = 0;
    for (let at = 0; at < points.length; at += 1) {
      const point = points[at] ?? 0;
      if (point >= ASCII_END) afterWide = at + 1;
      key = ((key << 7) | point) & mask;
      const start = at - k + 1;
      if (start < 0) continue;
      if (hasNarrow && start >= afterWide) note(key);
      else wide.add(points, start);
    }
  }

  return {
    addAscii(bytes) {
      if (!hasNarrow || !isAscii(bytes)) return undefined;
      const plain = withoutCrlf(bytes);
      addPlain(plain);
      return plain.length;
    },
    addText(text) {
      const points = pointsOf(text);
      addPoints(points);
      return points.length;
    },
    get size() {
      return narrowCount + wide.size;
    },
    take: () => ({ k, narrow: takeNarrow(), wide: wide.take() }),
  };
}

function withoutCrlf(bytes: Uint8Array): Uint8Array {
  return bytes.includes(CR) ? bytes.filter((byte, at) => byte !== CR || bytes[at + 1] !== LF) : bytes;
}

/** The code points of a text, without the CR of each CRLF. */
function pointsOf(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === CR && text.charCodeAt(at + 1) === LF) continue;
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    points[count] = isPair ? (text.codePointAt(at) ?? 0) : unit;
    count += 1;
    if (isPair) at += 1;
  }
  return points.subarray(0, count);
}

function grown(list: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(list);
  return larger;
}
