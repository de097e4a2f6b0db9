import { messageOf, WritError } from './errors.ts';
import { assertIJson, isForbiddenKey, MAX_JSON_DEPTH, wellFormed } from './i-json.ts';
import type { Json } from './json.ts';

/**
 * The canonical form of a JSON value, RFC 8785: the bytes that are hashed and signed. Nothing is dropped or filled in;
 * what has no exact canonical form (`i-json.ts`) is refused.
 *
 * @param maxDepth levels that `value` may have; less than the default when it becomes a part of a larger document
 * @throws WritError INVALID_MANIFEST with `field`
 */
export function canonicalJson(value: unknown, maxDepth: number = MAX_JSON_DEPTH): string {
  const text = written(value, maxDepth);
  if (text !== undefined) return text;
  // Says what is wrong, and where.
  assertIJson(value, maxDepth);
  throw new WritError('INTERNAL', 'a checked value has no canonical form');
}

/**
 * The canonical form, written and checked by the rules of `assertIJson` in one walk; `undefined` for what is no I-JSON. Numbers and
 * strings are JavaScript's own: RFC 8785 takes their form from there.
 */
function written(value: unknown, depthLeft: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? JSON.stringify(value) : undefined;
    case 'number':
      return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)) ? JSON.stringify(value) : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depthLeft === 0) return undefined;
      return Array.isArray(value) ? writtenArray(value, depthLeft - 1) : writtenObject(value, depthLeft - 1);
    default:
      return undefined;
  }
}

function writtenArray(items: readonly unknown[], depthLeft: number): string | undefined {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    const item = written(items[index], depthLeft);
    if (item === undefined) return undefined;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function writtenObject(object: object, depthLeft: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  let text = '{';
  // Code units of UTF-16, as RFC 8785 wants: the order of `sort` without a rule of one's own.
  for (const key of Object.keys(object).sort()) {
    if (isForbiddenKey(key) || !key.isWellFormed()) return undefined;
    const member = written((object as Readonly<Record<string, unknown>>)[key], depthLeft);
    if (member === undefined) return undefined;
    text += text === '{' ? `${JSON.stringify(key)}:${member}` : `,${JSON.stringify(key)}:${member}`;
  }
  return `${text}}`;
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
