import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { assertIJson } from '../../../../src/core/i-json.ts';
import type { Json } from '../../../../src/core/json.ts';
import { jsonEqual, jsonOrder } from '../../../../src/executors/plan/json-equal.ts';

/** What gets as far as a plan: no forbidden key, no integer beyond the safe ones. */
const small = (fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>).filter((value) => {
  try {
    assertIJson(value, 8);
    return true;
  } catch {
    return false;
  }
});
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
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
  const kindOf = (value: Json): string => (typeof value === 'number' || typeof value === 'string' ? typeof value : 'other');

  it('has numbers in the order of their values, at no cost', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const meter = { left: 0 };
        expect(Math.sign(jsonOrder(a, b, meter) ?? Number.NaN) + 0).toBe(Number(a > b) - Number(a < b));
        expect(meter.left).toBe(0);
      }),
    );
    expect(jsonOrder(2, 10, { left: 10 })).toBeLessThan(0);
  });

  it('has texts in the order of their code points, at the cost of the shorter one', () => {
    const points = (value: string): string => Array.from(value, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(6, '0')).join();
    fc.assert(
      fc.property(text, text, (a, b) => {
        const meter = { left: 1000 };
        expect(Math.sign(jsonOrder(a, b, meter) ?? Number.NaN)).toBe(Number(points(a) > points(b)) - Number(points(a) < points(b)));
        expect(meter.left).toBe(1000 - Math.min(a.length, b.length));
      }),
    );
    expect(jsonOrder('\u{10400}', '\uff5a', { left: 10 })).toBeGreaterThan(0);
  });

  it('has none between a number and a text, nor for any value of another kind', () => {
    const unordered = fc.tuple(small, small).filter(([a, b]) => kindOf(a) === 'other' || kindOf(a) !== kindOf(b));
    fc.assert(
      fc.property(unordered, ([a, b]) => {
        expect(jsonOrder(a, b, { left: 1000 })).toBeUndefined();
      }),
    );
  });
});
