import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EDITS, insert } from '../../../../src/surfaces/tui/model/edit.ts';
import { cells } from '../../../../src/surfaces/tui/text/cells.ts';
import { highlight, termsOf } from '../../../../src/surfaces/tui/text/highlight.ts';
import { wrap } from '../../../../src/surfaces/tui/text/wrap.ts';

const hits = (line: string, query: string): string[] =>
  highlight(line, termsOf(query))
    .filter(({ hit }) => hit)
    .map(({ text }) => text);

describe('text on the screen', () => {
  it.each([
    ['abc', 3],
    ['Übersetzung', 11],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['⚠', 1],
  ])('takes as many columns as the terminal gives %s', (text, columns) => {
    expect(cells(text)).toBe(columns);
  });

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

  it('marks words in other forms, with other marks and by their beginning', () => {
    expect(hits('The migrations migrated; migration done', 'migration')).toEqual(['migrations', 'migrated', 'migration']);
    expect(hits('a Café, two cafés', 'cafe')).toEqual(['Café', 'cafés']);
    expect(hits('idempotent idempotency ide', 'idempot*')).toEqual(['idempotent', 'idempotency']);
    expect(hits('locks and clocks', 'lock')).toEqual(['locks']);
  });

  it('does not mark operators, nor what was not to be found', () => {
    expect(hits('certificate and mTLS not OR', 'certificate NOT mTLS OR x')).toEqual(['certificate']);
  });

  it('moves and cuts by what a person calls a character', () => {
    const typed = insert({ text: '', caret: 0 }, 'a👩‍💻\u001b[31mb\n c');
    expect(typed.text).toBe('a👩‍💻[31mb c');
    const end = { text: 'a👩‍💻', caret: 'a👩‍💻'.length };
    expect(EDITS.backspace(end)).toEqual({ text: 'a', caret: 1 });
    expect(EDITS.left(end).caret).toBe(1);
    expect(EDITS.cutWord({ text: 'one two ', caret: 8 })).toEqual({ text: 'one ', caret: 4 });
  });
});
