import { compareCodePoints } from '../../../core/code-points.ts';
import { afterColon, CLOSE_BRACE, COMMA, NO, numberEnd, OPEN_BRACE, plainEnd, QUOTE, skipBlanks, stringEnd, valueEnd } from './json-grammar.ts';

/** What the value of a member is. */
export const KIND = { other: 0, number: 1, text: 2, escaped: 3 } as const;

/** The names of an object's members, which are often those of the object before. */
export interface Shape {
  /** No two the same. */
  readonly names: readonly string[];
  /** Places of the names in code point order. */
  readonly order: readonly number[];
  /** Place of the primary key, or -1. */
  readonly key: number;
  /** The names as they are written, with their quotes. */
  readonly written: readonly Uint8Array[];
}

/** One line, walked. The arrays are good until the next one; of places from `count` on they say nothing. */
export interface Walked {
  shape: Shape;
  count: number;
  /** Where the values begin and end; of texts what is between the quotes. */
  starts: Int32Array;
  ends: Int32Array;
  kinds: Uint8Array;
  /** Whether a text has a backslash. */
  hasEscapes: boolean;
}

export interface Walker {
  readonly walked: Walked;
  /**
   * Whether the line from `from` to the next line feed is one JSON object that could be judged by its bytes alone: names
   * without escapes and each once, no half of a surrogate pair, nesting of at most some hundred. Everything else, malformed
   * lines too, is for whoever parses it.
   */
  walk(bytes: Buffer, from: number): boolean;
}

/** Walks the lines of one data set, strictly (RFC 8259). */
export function createWalker(primaryKey: string): Walker {
  const walked: Walked = { shape: NO_SHAPE, count: 0, starts: new Int32Array(64), ends: new Int32Array(64), kinds: new Uint8Array(64), hasEscapes: false };
  let names = new Int32Array(64);

  function walk(bytes: Buffer, from: number): boolean {
    let at = skipBlanks(bytes, from);
    if (bytes[at] !== OPEN_BRACE) return false;
    const { written } = walked.shape;
    let isSame = true;
    walked.count = 0;
    walked.hasEscapes = false;
    do {
      at = skipBlanks(bytes, at + 1);
      const place = walked.count;
      if (place === names.length) grow();
      names[place] = at;
      const known = isSame ? afterKnown(bytes, at, written[place]) : NO;
      if (known === NO) {
        isSame = false;
        at = afterName(bytes, at);
        if (at === NO) return false;
      } else at = known;
      at = afterColon(bytes, at);
      if (at === NO) return false;
      at = value(bytes, at, place);
      if (at === NO) return false;
      walked.count += 1;
      at = skipBlanks(bytes, at);
    } while (bytes[at] === COMMA);
    if (bytes[at] !== CLOSE_BRACE || bytes[skipBlanks(bytes, at + 1)] !== LF) return false;
    return (isSame && walked.count === written.length) || reshape(bytes);
  }

  function value(bytes: Buffer, at: number, place: number): number {
    const byte = bytes[at] ?? 0;
    walked.starts[place] = byte === QUOTE ? at + 1 : at;
    if (byte !== QUOTE) {
      const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
      const end = isNumber ? numberEnd(bytes, at) : valueEnd(bytes, at);
      walked.kinds[place] = isNumber ? KIND.number : KIND.other;
      walked.ends[place] = end;
      return end;
    }
    const plain = plainEnd(bytes, at + 1);
    const isEscaped = bytes[plain] !== QUOTE;
    const end = isEscaped ? stringEnd(bytes, plain) : plain;
    if (isEscaped) walked.hasEscapes = true;
    walked.kinds[place] = isEscaped ? KIND.escaped : KIND.text;
    walked.ends[place] = end;
    return end === NO ? NO : end + 1;
  }

  /** Takes the names of this line for those of the next; false when one is there twice. */
  function reshape(bytes: Buffer): boolean {
    const written: Uint8Array[] = [];
    for (let place = 0; place < walked.count; place += 1) {
      const start = names[place] ?? 0;
      written.push(new Uint8Array(bytes.subarray(start, plainEnd(bytes, start + 1) + 1)));
    }
    const texts = written.map((name) => Buffer.from(name.buffer, 1, name.length - 2).toString());
    if (new Set(texts).size !== texts.length) return false;
    const order = texts.map((_, place) => place).sort((a, b) => compareCodePoints(texts[a] ?? '', texts[b] ?? ''));
    walked.shape = { names: texts, order, key: texts.indexOf(primaryKey), written };
    return true;
  }

  function grow(): void {
    names = larger(names);
    walked.starts = larger(walked.starts);
    walked.ends = larger(walked.ends);
    const kinds = new Uint8Array(walked.kinds.length * 2);
    kinds.set(walked.kinds);
    walked.kinds = kinds;
  }

  return { walked, walk };
}

const LF = 0x0a;
const NO_SHAPE: Shape = { names: [], order: [], key: -1, written: [] };

/** Behind the name at `at` if it is that one. */
function afterKnown(bytes: Uint8Array, at: number, name: Uint8Array | undefined): number {
  if (name === undefined) return NO;
  for (let place = 0; place < name.length; place += 1) if (bytes[at + place] !== name[place]) return NO;
  return at + name.length;
}

/** Behind a name without escapes. */
function afterName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NO;
  const end = plainEnd(bytes, at + 1);
  return bytes[end] === QUOTE ? end + 1 : NO;
}

function larger(places: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(places.length * 2);
  more.set(places);
  return more;
}
