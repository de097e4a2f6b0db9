import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../../../../src/executors/search/files/matcher.ts';

describe('the matcher of file names', () => {
  const letters = (letter: fc.Arbitrary<number>, maxLength: number) => fc.array(letter, { maxLength });

  it('finds what Buffer.includes finds, within its bounds', { tags: ['SE-29'] }, () => {
    // Few letters: most needles half match at many places.
    const letter = fc.constantFrom(0x61, 0x62, 0xc3);
    fc.assert(
      fc.property(
        fc.array(letter, { minLength: 1, maxLength: 8 }),
        letters(letter, 40),
        letters(letter, 4),
        letters(letter, 4),
        (needle, name, before, after) => {
          const block = Buffer.from([...before, ...name, ...after]);
          const found = createMatcher(Buffer.from(needle))(block, before.length, before.length + name.length);
          expect(found).toBe(Buffer.from(name).includes(Buffer.from(needle)));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('finds characters where they begin and nowhere else', { tags: ['SE-31'] }, () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(
        text.filter((query) => query !== ''),
        text,
        (query, name) => {
          const bytes = Buffer.from(name);
          const characters = [...name];
          const wanted = [...query];
          const expected = characters.some((_, i) => wanted.every((character, k) => characters[i + k] === character));
          expect(createMatcher(Buffer.from(query))(bytes, 0, bytes.length)).toBe(expected);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('looks at each byte once, also when every one could begin a match', () => {
    const name = Buffer.alloc(255, 'a');
    const matches = createMatcher(Buffer.from(`${'a'.repeat(127)}b`));
    const reads = { count: 0 };
    const counting = new Proxy(name, {
      get(target, key) {
        reads.count += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(matches(counting, 0, name.length)).toBe(false);
    expect(reads.count).toBe(name.length);
  });
});
