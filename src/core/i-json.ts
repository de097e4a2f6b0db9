import { WritError } from './errors.ts';

/** Containers inside containers; the outermost is level 1. Deeper input is a bomb, or an object that contains itself. */
export const MAX_JSON_DEPTH = 32;

/** Names that reach into JavaScript's own machinery when somebody copies an object key by key. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** In a pattern with the `u` flag only a surrogate without its partner is of category Cs. */
const LONE_SURROGATE = /\p{Cs}/u;
const LONE_SURROGATES = /\p{Cs}/gu;

/** The text with every lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATES, '\ufffd');
}

/**
 * Checks that a value is I-JSON (RFC 7493): plain objects and arrays, well-formed Unicode, finite numbers, integers
 * that a double holds exactly, at most `maxDepth` levels. Such a value has exactly one canonical form.
 *
 * @returns the number of object members in the whole value
 * @throws WritError INVALID_MANIFEST with the dotted path of the first offence in `field`
 */
export function assertIJson(value: unknown, maxDepth: number = MAX_JSON_DEPTH): number {
  return walk(value, maxDepth, []);
}

/** `path` is the way to `value`; it is only read when something is wrong. */
function walk(value: unknown, depthLeft: number, path: string[]): number {
  switch (typeof value) {
    case 'string':
      if (LONE_SURROGATE.test(value)) refuse('contains half of a surrogate pair', path);
      return 0;
    case 'number':
      if (!Number.isFinite(value)) refuse('is not a finite number', path);
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) refuse('is an integer beyond 2^53 - 1, which JSON readers round', path);
      return 0;
    case 'boolean':
      return 0;
    case 'object':
      break;
    default:
      refuse(`is ${typeof value}, which JSON does not have`, path);
  }
  if (value === null) return 0;
  if (depthLeft === 0) refuse('is nested too deeply', path);
  if (Array.isArray(value)) return walkArray(value, depthLeft, path);
  return walkObject(value, depthLeft, path);
}

function walkArray(items: readonly unknown[], depthLeft: number, path: string[]): number {
  let members = 0;
  for (let index = 0; index < items.length; index += 1) {
    path.push(String(index));
    members += walk(items[index], depthLeft - 1, path);
    path.pop();
  }
  return members;
}

function walkObject(object: object, depthLeft: number, path: string[]): number {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) refuse('is not a plain object', path);
  let members = 0;
  for (const [key, member] of Object.entries(object)) {
    path.push(key);
    if (isForbiddenKey(key)) refuse('is a forbidden key', path);
    if (LONE_SURROGATE.test(key)) refuse('is a key with half of a surrogate pair', path);
    members += 1 + walk(member, depthLeft - 1, path);
    path.pop();
  }
  return members;
}

function refuse(what: string, path: readonly string[]): never {
  const field = wellFormed(path.join('.'));
  throw new WritError('INVALID_MANIFEST', `${field || 'the document'} ${what}`, field ? { field } : {});
}
