import { messageOf, WritError } from './errors.ts';
import { assertIJson, isForbiddenKey, MAX_JSON_DEPTH, wellFormed } from './i-json.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * The canonical form of a JSON value, RFC 8785: the bytes that are hashed and signed. Nothing is dropped or filled in;
 * what has no exact canonical form (`i-json.ts`) is refused.
 *
 * @param maxDepth levels that `value` may have; less than the default when it becomes a part of a larger document
 * @throws WritError INVALID_MANIFEST with `field`
 */
export function canonicalJson(value: unknown, maxDepth: number = MAX_JSON_DEPTH): string {
  return written(value, maxDepth, { members: 0 }) ?? refused(value, maxDepth);
}

/** Says what is wrong with a value that has no canonical form, and where. */
function refused(value: unknown, maxDepth: number): never {
  assertIJson(value, maxDepth);
  throw new WritError('INTERNAL', 'a checked value has no canonical form');
}

/** Object members that were seen. */
interface Tally {
  members: number;
}

/** The canonical form, checked and written in one pass (hot path); `undefined` for exactly what `assertIJson` refuses. */
function written(value: unknown, depthLeft: number, tally: Tally): string | undefined {
  switch (typeof value) {
    case 'string':
      if (value.length <= MAX_PLAIN && PLAIN.test(value)) return `"${value}"`;
      return value.isWellFormed() ? JSON.stringify(value) : undefined;
    case 'number':
      return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)) ? `${value}` : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depthLeft === 0) return undefined;
      return Array.isArray(value) ? writtenArray(value, depthLeft, tally) : writtenObject(value, depthLeft, tally);
    default:
      return undefined;
  }
}

function writtenArray(items: readonly unknown[], depthLeft: number, tally: Tally): string | undefined {
  let text = '[';
  for (let index = 0; index < items.length; index += 1) {
    const item = written(items[index], depthLeft - 1, tally);
    if (item === undefined) return undefined;
    text += index === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function writtenObject(object: object, depthLeft: number, tally: Tally): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members = object as Readonly<Record<string, unknown>>;
  // By UTF-16 code units, as the RFC wants it.
  const keys = Object.keys(members).sort();
  tally.members += keys.length;
  let text = '{';
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? '';
    const name = writtenName(key);
    if (name === '') return undefined;
    const member = written(members[key], depthLeft - 1, tally);
    if (member === undefined) return undefined;
    text += index === 0 ? `${name}${member}` : `,${name}${member}`;
  }
  return `${text}}`;
}

/** Texts that stand as they are between quotes: the printable characters of ASCII but quote and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Beyond it the search for others costs more than the call that is saved. */
const MAX_PLAIN = 256;

/** The names of members that were met first; contracts have some two hundred. */
const names = new Map<string, string>();
const MAX_NAMES = 512;
const MAX_NAME_CHARS = 64;

/** A member's name with its colon; empty for one that is refused. */
function writtenName(key: string): string {
  const met = names.get(key);
  if (met !== undefined) return met;
  const name = isForbiddenKey(key) || !key.isWellFormed() ? '' : `${JSON.stringify(key)}:`;
  if (names.size < MAX_NAMES && key.length <= MAX_NAME_CHARS) names.set(key, name);
  return name;
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
  assertSize(text, maxBytes);
  const value = parse(text);
  assertOnce(text, assertIJson(value, maxDepth));
  // I-JSON is JSON, which is what has just been checked.
  return value as Json;
}

/** An object, and the canonical forms of its members by their names. */
export interface StrictObject {
  readonly value: JsonObject;
  readonly forms: ReadonlyMap<string, string>;
}

/**
 * Reads as `parseStrictJson`, and writes the canonical form of each member in the same pass.
 *
 * @returns undefined for a document that is no object
 * @throws WritError INVALID_MANIFEST, with `field` where one is to blame
 */
export function parseStrictObject(text: string, { maxBytes, maxDepth = MAX_JSON_DEPTH }: StrictJsonLimits): StrictObject | undefined {
  assertSize(text, maxBytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    parseStrictJson(text, { maxBytes, maxDepth });
    return undefined;
  }
  const forms = new Map<string, string>();
  const tally: Tally = { members: 0 };
  for (const [key, member] of Object.entries(value)) {
    const form = isForbiddenKey(key) || !key.isWellFormed() ? undefined : written(member, maxDepth - 1, tally);
    forms.set(key, form ?? refused(value, maxDepth));
    tally.members += 1;
  }
  assertOnce(text, tally.members);
  return { value: value as JsonObject, forms };
}

function assertSize(text: string, maxBytes: number): void {
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) throw new WritError('INVALID_MANIFEST', `the document is larger than ${maxBytes} bytes`);
}

/** JSON.parse keeps the last of two equal keys, so the value then has fewer members than the text. */
function assertOnce(text: string, members: number): void {
  if (members !== countMembers(text)) throw new WritError('INVALID_MANIFEST', 'an object has the same key twice');
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
