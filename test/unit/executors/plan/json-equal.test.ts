import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { compareCodePoints } from '../../../../src/core/code-points.ts';
import type { Json } from '../../../../src/core/json.ts';
import { jsonEqual, jsonOrder } from '../../../../src/executors/plan/json-equal.ts';

/** Canonical JSON has no integers beyond the safe ones. */
const small = (fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>).filter(
  (value) =>
    !JSON.stringify(value, (_, member: Json) => (typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER ? 'unsafe!' : member)).includes(
      'unsafe!',
    ),
);
const rich = { left: 1e9 };

describe('equality in plans', () => {
  it('is equality of the canonical form, whatever the order of the members', () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(jsonEqual(a, b, { ...rich })).toBe(canonicalJson(a) === canonicalJson(b));
        const turned = typeof a === 'object' && a !== null && !Array.isArray(a) ? Object.fromEntries(Object.entries(a).reverse()) : structuredClone(a);
        expect(jsonEqual(a, turned, { ...rich })).toBe(true);
      }),
    );
  });

  it('tells a list from a longer one, an object from a list and from one with a member that is null', () => {
    for (const [a, b] of [
      [[1], [1, 2]],
      [[null], []],
      [{}, []],
      [{ a: null }, {}],
      [{ a: null }, { b: null }],
      [{ 0: 1 }, [1]],
      ['1', 1],
      [null, false],
    ] as const satisfies readonly (readonly [unknown, unknown])[]) {
      expect(jsonEqual(a as Json, b as Json, { ...rich })).toBe(false);
      expect(jsonEqual(b as Json, a as Json, { ...rich })).toBe(false);
    }
  });

  it('costs the length of two texts that are equally long, else a fixed price, and is false without means', () => {
    const meter = { left: 100 };
    jsonEqual('x'.repeat(30), 'y'.repeat(30), meter);
    expect(meter.left).toBe(70);
    jsonEqual('x'.repeat(30), 'y', meter);
    expect(meter.left).toBe(54);
    expect(jsonEqual([1, 1, 1, 1], [1, 1, 1, 1], meter)).toBe(false);
    expect(meter.left).toBeLessThan(0);
  });
});

describe('order in plans', () => {
  it('is that of numbers, and of texts by code points; nothing else has any', () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        const meter = { left: 1000 };
        const order = jsonOrder(a, b, meter);
        if (typeof a === 'number' && typeof b === 'number') expect(order).toBe(a - b);
        else if (typeof a === 'string' && typeof b === 'string') {
          expect(order).toBe(compareCodePoints(a, b));
          expect(meter.left).toBe(1000 - Math.min(a.length, b.length));
        } else expect(order).toBeUndefined();
      }),
    );
    expect(jsonOrder('\u{10400}', '\uff5a', { left: 10 })).toBeGreaterThan(0);
    expect(jsonOrder(2, 10, { left: 10 })).toBeLessThan(0);
  });
});
