import canonicalize from 'canonicalize';
import { messageOf, WritError } from './errors.ts';
import { assertIJson, MAX_JSON_DEPTH, wellFormed } from './i-json.ts';
import type { Json } from './json.ts';

/**
 * The canonical form of a JSON value, RFC 8785: the bytes that are hashed and signed. Nothing is dropped or filled in;
 * what has no exact canonical form (`i-json.ts`) is refused.
 *
 * @param maxDepth levels that `value` may have; less than the default when it becomes a part of a larger document
 * @throws WritError INVALID_MANIFEST with `field`
 */
export function canonicalJson(value: unknown, maxDepth: number = MAX_JSON_DEPTH): string {
  assertIJson(value, maxDepth);
  const text = canonicalize(value);
  if (text === undefined) throw new WritError('INTERNAL', 'a checked value has no canonical form');
  return text;
}

export interface StrictJsonLimits {
  /** Largest text, in bytes of UTF-8. */
  readonly maxBytes: number;
  readonly maxDepth?: number;
}

/**
 * Reads JSON text as I-JSON: what `JSON.parse` would quietly mend is refused. A key that occurs twice (two readers may
 * pick different ones), an integer that would be rounded, half a surrogate pair, a forbidden key, too much depth or size.
 *
 * @throws WritError INVALID_MANIFEST, with `field` where one is to blame
 */
export function parseStrictJson(text: string, { maxBytes, maxDepth = MAX_JSON_DEPTH }: StrictJsonLimits): Json {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) throw new WritError('INVALID_MANIFEST', `the document is larger than ${maxBytes} bytes`);
  const value = parse(text);
  // JSON.parse keeps the last of two equal keys, so the value then has fewer members than the text.
  const members = assertIJson(value, maxDepth);
  if (members !== countMembers(text)) throw new WritError('INVALID_MANIFEST', 'an object has the same key twice');
  // I-JSON is JSON, which is what has just been checked.
  return value as Json;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WritError('INVALID_MANIFEST', `the document is not JSON: ${wellFormed(messageOf(error).slice(0, 200))}`);
  }
}

/** Members written in a valid JSON text: its colons outside of strings. */
function countMembers(text: string): number {
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) members += 1;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return members;
}

/** Index of the quote that closes the string which opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close;
  }
}

const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
