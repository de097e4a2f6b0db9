import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { literalOf } from '../../../../src/content-search/run/literal.ts';
import type { BackendQuery } from '../../../../src/core/ports/index.ts';

const QUERY: BackendQuery = { pattern: '', fixedStrings: true, wordRegexp: false, ignoreCase: true, context: 0, fuzzy: 0, maxCount: 1 };

/** Letters in both cases, signs of expressions, and letters beyond ASCII that have a small form in Latin-1 or none there. */
const SIGNS = 'abABkK.^$\\[(*-\u00c0\u00e0\u00df\u00ff\u00b5';
const ASCII = Array.from(SIGNS).filter((sign) => sign < '\u0080');

describe('a literal in any case', () => {
  it('is found where it is in small letters, from every place on, however long it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SIGNS), { maxLength: 200 }),
        fc.oneof({ arbitrary: fc.integer({ min: 1, max: 3 }), weight: 3 }, fc.integer({ min: 31, max: 34 })),
        fc.array(fc.constantFrom(...ASCII), { minLength: 34, maxLength: 34 }),
        fc.nat(),
        fc.boolean(),
        (around, length, letters, cut, isThere) => {
          const pattern = letters.slice(0, length).join('');
          const at = cut % (around.length + 1);
          const text = [...around.slice(0, at), ...(isThere ? [pattern.toUpperCase()] : []), ...around.slice(at)].join('');
          const find = literalOf({ ...QUERY, pattern }, 'UNICODE_SIMPLE')?.finder(text);
          for (let from = 0; from <= text.length; from += 1) expect(find?.(from)).toBe(text.toLowerCase().indexOf(pattern.toLowerCase(), from));
        },
      ),
    );
  });
});
