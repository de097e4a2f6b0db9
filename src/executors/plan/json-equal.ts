import { compareCodePoints } from '../../core/code-points.ts';
import type { Json } from '../../core/json.ts';
import { isObject } from './json-copy.ts';
import type { Meter } from './measure.ts';

/** Whether two values have the same canonical form. The meter pays for it; without means the answer is false, and the run ends on the meter. */
export function jsonEqual(a: Json, b: Json, meter: Meter): boolean {
  meter.left -= typeof a === 'string' && typeof b === 'string' && a.length === b.length ? a.length : 16;
  if (meter.left < 0) return false;
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index] ?? null, meter));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key] ?? null, b[key] ?? null, meter));
}

/** Order of two numbers or two strings (by code points); `undefined` for anything else, which has none. */
export function jsonOrder(a: Json, b: Json, meter: Meter): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  meter.left -= Math.min(a.length, b.length);
  return compareCodePoints(a, b);
}
