import type { Json } from '../../core/json.ts';

export interface Measure {
  /** Of the value as JSON text in UTF-8. */
  readonly bytes: number;
  /** Containers in containers; 0 for a scalar. */
  readonly levels: number;
}

const known = new WeakMap<object, Measure>();

/** Size of a frozen value. What is shared is measured once, so that a value which names itself many times costs no more than it has parts. */
export function measure(value: Json): Measure {
  if (typeof value !== 'object' || value === null) return { bytes: scalarBytes(value), levels: 0 };
  const before = known.get(value);
  if (before !== undefined) return before;
  let bytes = 2;
  let levels = 0;
  for (const [key, member] of Object.entries(value)) {
    const inner = measure(member);
    bytes += inner.bytes + 1 + (Array.isArray(value) ? 0 : scalarBytes(key) + 1);
    levels = Math.max(levels, inner.levels);
  }
  const measured = { bytes, levels: levels + 1 };
  known.set(value, measured);
  return measured;
}

function scalarBytes(value: string | number | boolean | null): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Work that a plan may still cause (`LIMITS.work`). */
export interface Meter {
  left: number;
}
