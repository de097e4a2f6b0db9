import { describe, expect, it } from 'vitest';
import { isLiteral } from '../../../../../src/content-search/ngram-index/query/query-plan.ts';

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

describe('a literal pattern', () => {
  it('is one of letters, digits, blanks and signs that mean themselves in both dialects', () => {
    const literal = ascii.filter((character) => isLiteral(`a${character}b`, false)).join('');
    expect(literal).toBe(` !"%&',-/0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~`);
  });

  it('stays one wherever such a character stands', () => {
    for (const pattern of ['zap_page_range_single', 'struct device', '-x', '--', '"quoted"', 'a/b/c', '<start>', '!not', 'Ñandú 漢字 𐐨']) {
      expect(isLiteral(pattern, false)).toBe(true);
    }
  });

  it('is none with any sign of an expression, wherever it stands', () => {
    for (const sign of '\\.*+?()[]{}|^$#`') {
      for (const pattern of [`${sign}abc`, `ab${sign}c`, `abc${sign}`]) expect(isLiteral(pattern, false)).toBe(false);
    }
  });

  it('is none with marks, digits or signs beyond ASCII, with control characters, or empty', () => {
    for (const pattern of ['e\u0301x', '٣٣٣', '€uro', '😀😀😀', 'a\tb', 'a\nb', 'a\u200db', '\ufeffab', '']) expect(isLiteral(pattern, false)).toBe(false);
  });

  it('is any text that is asked for as fixed', () => {
    for (const pattern of ['a.*b', '\\', '😀', 'a\nb']) expect(isLiteral(pattern, true)).toBe(true);
  });
});
