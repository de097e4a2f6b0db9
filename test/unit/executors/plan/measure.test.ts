import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { measure, measureCopy } from '../../../../src/executors/plan/measure.ts';

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }) as fc.Arbitrary<Json>;

/** Containers that hold something: each counts one separator more than its text has. */
function filled(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return (members.length > 0 ? 1 : 0) + members.reduce<number>((sum, member) => sum + filled(member), 0);
}

function depth(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

describe('the measure of a value', () => {
  it('is the size of its text, a separator for each member, its depth and the number of its members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(measure(value)).toEqual({
          bytes: Buffer.byteLength(JSON.stringify(value)) + filled(value),
          levels: depth(value),
          count: typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
        });
      }),
    );
  });

  it('of a copy with one member replaced or added is what it would be if the copy were measured by itself', () => {
    const holder = fc.oneof(fc.dictionary(fc.string({ maxLength: 4 }), json, { maxKeys: 4 }), fc.array(json, { maxLength: 4 })) as fc.Arbitrary<
      Json[] | JsonObject
    >;
    fc.assert(
      fc.property(holder, fc.string({ maxLength: 4 }), fc.nat({ max: 4 }), json, (original, name, index, now) => {
        const isList = Array.isArray(original);
        const key = isList ? String(Math.min(index, original.length)) : name;
        const before = Object.hasOwn(original, key) ? (original as JsonObject)[key] : undefined;
        const copy = (isList ? Object.assign([...original], { [key]: now }) : { ...original, [key]: now }) as Json[] | JsonObject;
        measureCopy(original, copy, key, before, now);
        expect(measure(copy)).toEqual(measure(structuredClone(copy)));
      }),
    );
  });

  it('is taken once of a part that is named many times', () => {
    let value: Json = ['x'];
    for (let level = 0; level < 60; level += 1) value = [value, value];
    expect(measure(value).levels).toBe(61);
  });
});
