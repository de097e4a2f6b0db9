import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finderInAnyCase } from '../../../../src/content-search/run/any-case.ts';

/** Letters in both cases, what stands beside them in ASCII, signs of expressions, and bytes beyond ASCII. */
const SIGNS = 'abABzZ@[`{.\\\u00c0\u00e0\u00df\u00ff\u0000';
const ASCII = Array.from(SIGNS).filter((sign) => sign < '\u0080');

/** Every place, each asked for from the one behind the place before. */
function placesOf(find: (from: number) => number): number[] {
  const places: number[] = [];
  for (let at = find(0); at >= 0; at = find(at + 1)) places.push(at);
  return places;
}

function expectPlaces(text: string, sought: string): void {
  const small = text.toLowerCase();
  expect(placesOf(finderInAnyCase(sought)(Buffer.from(text, 'latin1')))).toEqual(placesOf((from) => small.indexOf(sought, from)));
}

describe('a search for bytes in any case', () => {
  it('finds every place that a text in small letters has', () => {
    const sign = fc.constantFrom(...SIGNS);
    const sought = fc.string({ unit: fc.constantFrom(...ASCII), minLength: 1, maxLength: 12 }).map((text) => text.toLowerCase());
    fc.assert(
      fc.property(sought, fc.array(fc.oneof({ arbitrary: sign, weight: 9 }, fc.constant('')), { maxLength: 80 }), fc.boolean(), (wanted, signs, isCapital) => {
        // Where the text has nothing, what is sought stands.
        expectPlaces(signs.map((one) => one || (isCapital ? wanted.toUpperCase() : wanted)).join(''), wanted);
      }),
    );
  });

  it.each([
    ['fits but for its first letter', 'aA'.repeat(10_000), `b${'a'.repeat(40)}`],
    ['fits everywhere', 'Aa'.repeat(3_000), 'a'.repeat(40)],
    ['fits at the end alone, after much that nearly fits', `${'aA'.repeat(10_000)}B${'A'.repeat(40)}`, `b${'a'.repeat(40)}`],
    ['is longer than the text', 'ab', 'abc'],
  ])('finds what is there when the text %s', (_, text, sought) => {
    expectPlaces(text, sought);
  });
});
