/** Containers inside containers that a document of Writ may have. */
const MAX_DEPTH = 32;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The canonical form (RFC 8785) of a value that came from JSON: what is hashed and signed (docs/leases.md). It says again what the
 * server's does; a test compares the two.
 *
 * @returns undefined for a value without an exact form: half a surrogate pair, an integer beyond 2^53 - 1, a forbidden key, more than 32 levels
 */
export function canonicalOf(value: unknown): string | undefined {
  try {
    return written(value, MAX_DEPTH);
  } catch (error) {
    if (error instanceof Inexact) return undefined;
    throw error;
  }
}

/** The canonical form of a document as `JSON.stringify` would send it: members that are `undefined` are not there. */
export function canonicalAsSent(value: unknown): string | undefined {
  return canonicalOf(JSON.parse(JSON.stringify(value)));
}

class Inexact extends Error {}

function written(value: unknown, depthLeft: number): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw new Inexact();
    return `${value}`;
  }
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object' || depthLeft === 0) throw new Inexact();
  if (Array.isArray(value)) return `[${value.map((item) => written(item, depthLeft - 1)).join(',')}]`;
  const members = value as Readonly<Record<string, unknown>>;
  // By UTF-16 code units, as the RFC wants it.
  const names = Object.keys(members).sort();
  return `{${names.map((name) => `${nameOf(name)}:${written(members[name], depthLeft - 1)}`).join(',')}}`;
}

function nameOf(name: string): string {
  if (FORBIDDEN_KEYS.has(name)) throw new Inexact();
  return quoted(name);
}

function quoted(text: string): string {
  // In a pattern with the `u` flag only a surrogate without its partner is of category Cs.
  if (/\p{Cs}/u.test(text)) throw new Inexact();
  return JSON.stringify(text);
}
