import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snippetOf } from '../../../../src/executors/search/snippet.ts';

const point = fc.constantFrom('a', 'é', '\uff5e', '\u{1f600}', '\n', '\r', ' ');
const long = fc.string({ unit: point, maxLength: 400 });

function snippet(text: string, query: string): string {
  return snippetOf(text, text.indexOf(query), query);
}

describe('the snippet of a match', () => {
  it.each([
    [0, 0],
    [99, 0],
    [100, 0],
    [101, 1],
    [250, 150],
  ])('begins up to 100 code points before a match at %i', { tags: ['SE-54'] }, (at, start) => {
    const text = `${'\u{1f600}'.repeat(at)}needle${'b'.repeat(300)}`;
    expect(snippet(text, 'needle')).toBe([...text].slice(start, Math.min(at + 6 + 100, start + 200)).join(''));
  });

  it('ends with the text', { tags: ['SE-54'] }, () => {
    expect(snippet('a needle.', 'needle')).toBe('a needle.');
  });

  it('shows the first of two matches', { tags: ['SE-53'] }, () => {
    const text = `first needle${'x'.repeat(300)}second needle`;
    expect(snippet(text, 'needle').startsWith('first needle')).toBe(true);
  });

  it('keeps line breaks', { tags: ['SE-56'] }, () => {
    expect(snippet('one\ntwo\r\nneedle\n', 'needle')).toBe('one\ntwo\r\nneedle\n');
  });

  it('begins with a match of 150 code points and is cut at 200 in all', { tags: ['SE-52', 'SE-57'] }, () => {
    const query = 'q'.repeat(150);
    expect(snippet(`${'a'.repeat(120)}${query}zzz`, query)).toBe(`${'a'.repeat(100)}${'q'.repeat(100)}`);
  });

  it('is what slicing an array of code points gives, never longer than 200, never half a character', { tags: ['SE-55', 'SE-57'] }, () => {
    fc.assert(
      fc.property(long, fc.string({ unit: point, minLength: 1, maxLength: 250 }), long, (before, query, after) => {
        const text = before + query + after;
        const found = snippet(text, query);
        const points = [...text];
        const i = [...text.slice(0, text.indexOf(query))].length;
        const expected = points.slice(Math.max(0, i - 100), Math.min(points.length, i + [...query].length + 100)).slice(0, 200);
        expect(found).toBe(expected.join(''));
        expect(found.isWellFormed()).toBe(true);
      }),
    );
  });
});
