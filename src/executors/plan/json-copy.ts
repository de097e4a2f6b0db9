import type { Json, JsonObject } from '../../core/json.ts';
import type { Problem } from './codes.ts';

export interface CopyLimits {
  readonly bytes: number;
  readonly levels: number;
  readonly nodes: number;
}

export type Copied = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: Problem };

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** In a pattern with the `u` flag only a surrogate without its partner is of category Cs. */
const LONE_SURROGATE = /\p{Cs}/u;
const LONE_SURROGATES = /\p{Cs}/gu;

export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/**
 * A frozen copy of an untrusted value, if it is I-JSON within limits. Keys are sorted, so nothing that runs over the copy can depend on the
 * order in which somebody wrote them. Anything else (cycles, accessors that throw, `undefined`, lone surrogates) is a problem, not an exception.
 */
export function copyJson(value: unknown, limits: CopyLimits): Copied {
  const reader = { bytes: limits.bytes, nodes: limits.nodes, path: [] as string[] };
  try {
    const copied = copy(value, limits.levels, reader);
    return copied instanceof Offence ? bad(copied.keyword, reader.path) : { ok: true, value: copied };
  } catch {
    // A proxy or an accessor of the caller's threw.
    return bad('unreadable', reader.path);
  }
}

const MESSAGES = {
  surrogate: 'contains half of a surrogate pair',
  not_finite: 'is not a finite number',
  unsafe_integer: 'is an integer beyond 2^53 - 1',
  not_json: 'is nothing that JSON has',
  depth: 'is nested too deeply',
  size: 'makes the document too large',
  forbidden_key: 'is a forbidden key',
  unreadable: 'cannot be read',
} satisfies Record<string, string>;

/** What is wrong with the place that the reader stands at. */
class Offence {
  readonly keyword: keyof typeof MESSAGES;
  constructor(keyword: keyof typeof MESSAGES) {
    this.keyword = keyword;
  }
}

interface Reader {
  bytes: number;
  nodes: number;
  /** The way to the value that is being read; left standing at an offence. */
  readonly path: string[];
}

function copy(value: unknown, levels: number, reader: Reader): Json | Offence {
  reader.nodes -= 1;
  if (reader.nodes < 0) return new Offence('size');
  switch (typeof value) {
    case 'string':
      return copyText(value, reader);
    case 'number':
      if (!Number.isFinite(value)) return new Offence('not_finite');
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) return new Offence('unsafe_integer');
      return spend(reader, String(value).length) ?? value;
    case 'boolean':
      return spend(reader, value ? 4 : 5) ?? value;
    case 'object':
      if (value === null) return spend(reader, 4) ?? value;
      if (levels === 0) return new Offence('depth');
      return Array.isArray(value) ? copyArray(value, levels, reader) : copyObject(value, levels, reader);
    default:
      return new Offence('not_json');
  }
}

function copyText(text: string, reader: Reader): string | Offence {
  const over = spend(reader, text.length + 2);
  if (over !== undefined) return over;
  return LONE_SURROGATE.test(text) ? new Offence('surrogate') : text;
}

function spend(reader: Reader, bytes: number): Offence | undefined {
  reader.bytes -= bytes + 1;
  return reader.bytes < 0 ? new Offence('size') : undefined;
}

function copyArray(items: readonly unknown[], levels: number, reader: Reader): Json[] | Offence {
  const copied: Json[] = [];
  for (let index = 0; index < items.length; index += 1) {
    reader.path.push(String(index));
    const item = copy(items[index], levels - 1, reader);
    if (item instanceof Offence) return item;
    copied.push(item);
    reader.path.pop();
  }
  return Object.freeze(copied) as Json[];
}

function copyObject(object: object, levels: number, reader: Reader): JsonObject | Offence {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return new Offence('not_json');
  const copied: JsonObject = {};
  for (const key of Object.keys(object).sort()) {
    reader.path.push(key);
    if (FORBIDDEN_KEYS.has(key)) return new Offence('forbidden_key');
    const name = copyText(key, reader);
    if (name instanceof Offence) return name;
    const member = copy(Reflect.get(object, key), levels - 1, reader);
    if (member instanceof Offence) return member;
    copied[key] = member;
    reader.path.pop();
  }
  return Object.freeze(copied);
}

function bad(keyword: keyof typeof MESSAGES, path: readonly string[]): Copied {
  return { ok: false, problem: { path: shownPath(path), keyword, message: MESSAGES[keyword] } };
}

/** A path for an error: well-formed and not longer than a person reads. */
export function shownPath(path: readonly PropertyKey[]): string {
  return [...path.map(String).join('.').slice(0, 512).replace(LONE_SURROGATES, '\ufffd')].slice(0, 256).join('');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
