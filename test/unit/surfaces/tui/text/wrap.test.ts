import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cells } from '../../../../../src/surfaces/tui/text/cells.ts';
import { wrap } from '../../../../../src/surfaces/tui/text/wrap.ts';

describe('text on the screen', () => {
  it('wraps to the width and loses no word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 40 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.filter((line) => cells(line) > width)).toEqual([]);
        const [line = ''] = wrap(text.replace(/[\r\n]/g, ' '), 1_000_000);
        expect(
          wrap(text.replace(/[\r\n]/g, ' '), width)
            .join('')
            .replace(/\s/g, ''),
        ).toBe(line.replace(/\s/g, ''));
      }),
      { numRuns: 200 },
    );
  });
});
