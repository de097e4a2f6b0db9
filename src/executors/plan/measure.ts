import type { Json, JsonObject } from '../../core/json.ts';

export interface Measure {
  /** Of the value as JSON text in UTF-8. */
  readonly bytes: number;
  /** Containers in containers; 0 for a scalar. */
  readonly levels: number;
  /** Members of an object, items of an array. */
  readonly count: number;
}

const known = new WeakMap<object, Measure>();

/** Size of a frozen value. What is shared is measured once, so that a value which names itself many times costs no more than it has parts. */
export function measure(value: Json): Measure {
  if (typeof value !== 'object' || value === null) return { bytes: scalarBytes(value), levels: 0, count: 0 };
  const before = known.get(value);
  if (before !== undefined) return before;
  let bytes = 2;
  let levels = 0;
  let count = 0;
  for (const [key, member] of Object.entries(value)) {
    const inner = measure(member);
    bytes += inner.bytes + keyBytes(value, key);
    levels = Math.max(levels, inner.levels);
    count += 1;
  }
  const measured = { bytes, levels: levels + 1, count };
  known.set(value, measured);
  return measured;
}

/** Separators and the name of a member. */
function keyBytes(container: object, key: string): number {
  return 1 + (Array.isArray(container) ? 0 : scalarBytes(key) + 1);
}

const ABSENT: Measure = { bytes: 0, levels: 0, count: 0 };

/**
 * Measures a copy of `original` with one member replaced, added or (`undefined`) taken away, without looking at the others: memory with a
 * thousand members is saved into often. The copy may be the original itself, written into, if that was measured before.
 */
export function measureCopy(original: Json[] | JsonObject, copy: Json[] | JsonObject, key: string, before: Json | undefined, now: Json | undefined): void {
  const old = measure(original);
  const inner = now === undefined ? ABSENT : measure(now);
  const outer = before === undefined ? ABSENT : measure(before);
  const added = Number(now !== undefined) - Number(before !== undefined);
  known.delete(copy);
  // A member that was the deepest has gone: only a look at all of them tells what is the deepest now.
  if (before !== undefined && outer.levels + 1 === old.levels && (now === undefined || inner.levels < outer.levels)) return;
  known.set(copy, {
    bytes: old.bytes - outer.bytes + inner.bytes + added * keyBytes(copy, key),
    levels: now === undefined ? old.levels : Math.max(old.levels, inner.levels + 1),
    count: old.count + added,
  });
}

function scalarBytes(value: string | number | boolean | null): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Work that a plan may still cause (`LIMITS.work`). */
export interface Meter {
  left: number;
}
