import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { measure } from '../../../../src/executors/plan/measure.ts';
import { membersAt, momentOf, type StateMoment, stateAt, withMember } from '../../../../src/executors/plan/memory-state.ts';

interface Seen {
  readonly moment: StateMoment;
  readonly expected: JsonObject;
}

const key = fc.constantFrom('a', 'b', 'c', '_locals');
const value = fc.option(fc.constantFrom<Json>(0, 'text', Object.freeze({ x: 1 }) as JsonObject, Object.freeze([Object.freeze([1])]) as Json), {
  nil: undefined,
});
/** A write after the moment `from` of those so far, counted backwards, and whether somebody takes the whole of it first. */
const writes = fc.array(fc.record({ key, value, from: fc.nat({ max: 2 }), looks: fc.boolean() }), { maxLength: 30 });

describe('the state of a run', () => {
  it('is at every moment what it was then, whatever was written since, and measured as if it were new', () => {
    fc.assert(
      fc.property(writes, (steps) => {
        const first: JsonObject = Object.freeze({ a: 1, z: Object.freeze({ y: 2 }) }) as JsonObject;
        const seen: Seen[] = [{ moment: momentOf(first), expected: first }];
        for (const { key: name, value: now, from, looks } of steps) {
          const { moment, expected } = seen.at(-1 - from) ?? seen[0] ?? { moment: momentOf(first), expected: first };
          if (looks) expect(stateAt(moment)).toEqual(expected);
          const { [name]: _before, ...others } = expected;
          const after = now === undefined ? others : { ...others, [name]: now };
          const next = withMember(moment, name, now);
          expect(membersAt(next)).toEqual(after);
          expect(measure(membersAt(next))).toEqual(measure(structuredClone(after)));
          seen.push({ moment: next, expected: after });
        }
        for (const { moment, expected } of seen) {
          expect(stateAt(moment)).toEqual(expected);
          expect(Object.isFrozen(stateAt(moment))).toBe(true);
        }
      }),
    );
  });

  it('copies its members only for somebody who holds them', () => {
    const second = withMember(momentOf(Object.freeze({ a: 1 }) as JsonObject), 'b', 2);
    const members = membersAt(second);
    const third = withMember(second, 'c', 3);
    expect(membersAt(third)).toBe(members);
    const held = stateAt(third);
    expect(held).toBe(members);
    expect(membersAt(withMember(third, 'd', 4))).not.toBe(held);
    expect(held).toEqual({ a: 1, b: 2, c: 3 });
    expect(stateAt(second)).toEqual({ a: 1, b: 2 });
  });
});
