import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CasefoldStrategy, caseVariants, foldText, isCasefoldStrategy } from '../../../../../src/content-search/ngram-index/tokenize/casefold.ts';
import { CASE_FOLDING_VERSION } from '../../../../../src/content-search/ngram-index/tokenize/casefold-table.ts';
import { GOLDEN } from '../../../../fixtures/content-index/golden.ts';

const simple = (text: string): string => foldText(text, 'UNICODE_SIMPLE');
const hexOf = (text: string): string => (text.codePointAt(0) ?? 0).toString(16).toUpperCase();
const characters = Array.from({ length: 0x20000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const pairs = characters.flatMap((from) => (simple(from) === from ? [] : [{ from, to: simple(from) }]));
/** What JavaScript compares under `iu`: simple case folding of its own, newer version of Unicode. */
const isSameInJavaScript = (a: string, b: string): boolean => new RegExp(`^\\u{${hexOf(a)}}$`, 'iu').test(b);

/** Letters, or partners of letters, that came into Unicode after the table's version. */
const NEWER = /^[\u1c89\u1c8a\u0264\u019b\ua7ca-\ua7dc\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]$/u;

describe('folding', () => {
  it('of ASCII moves A to Z by 32 and nothing else', { tags: ['FR-LSI-TOK-04.5'] }, () => {
    for (const character of [...characters.slice(0, 0x180), '\u212a', '\u017f', '\u1e9e']) {
      const point = character.codePointAt(0) ?? 0;
      expect(foldText(character, 'ASCII')).toBe(String.fromCodePoint(point >= 65 && point <= 90 ? point + 32 : point));
    }
    expect(foldText('AbÑ-Z[@`', 'ASCII')).toBe('abÑ-z[@`');
  });

  it('of Unicode is types C and S of CaseFolding.txt, all of them and no more', { tags: ['FR-LSI-TOK-04.6'] }, () => {
    expect(CASE_FOLDING_VERSION).toBe('15.0.0');
    expect(pairs).toHaveLength(GOLDEN.folding.pairs);
    const lines = pairs.map(({ from, to }) => `${hexOf(from)};${hexOf(to)}\n`);
    expect(createHash('sha256').update(lines.join('')).digest('hex')).toBe(GOLDEN.folding.sha256);
  });

  it.each([
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['ς', 'σ'],
    ['ẞ', 'ß'],
    ['ß', 'ß'],
    ['İ', 'İ'],
    ['ı', 'ı'],
    ['\u212a\u017f\u212b', 'kså'],
    ['ﬁ', 'ﬁ'],
    ['𐐀', '𐐨'],
    ['ᾼ', 'ᾳ'],
    ['µ', 'μ'],
  ])('of Unicode takes %s to %s: one code point for each, without a locale', { tags: ['FR-LSI-TOK-04.6'] }, (from, to) => {
    expect(simple(from)).toBe(to);
  });

  it('is done after one pass, and keeps the number of code points', () => {
    expect(pairs.filter(({ from, to }) => simple(to) !== to || [...to].length !== [...from].length)).toEqual([]);
  });

  it('says nothing that JavaScript does not say, and lacks only what is newer than its table', () => {
    expect(pairs.filter(({ from, to }) => !isSameInJavaScript(to, from))).toEqual([]);
    const partners = characters.flatMap((letter) => [letter.toLowerCase(), letter.toUpperCase()].map((other) => [letter, other] as const));
    const different = partners.filter(([a, b]) => a !== b && [...b].length === 1 && simple(a) !== simple(b));
    const missing = different.filter(([a, b]) => isSameInJavaScript(a, b)).flat();
    expect(missing.filter((letter) => !NEWER.test(letter))).toEqual([]);
  });

  it('knows two strategies by name and refuses other words', { tags: ['FR-LSI-TOK-04.1'] }, () => {
    expect(['ASCII', 'UNICODE_SIMPLE'].every(isCasefoldStrategy)).toBe(true);
    for (const word of ['ascii', 'UNKNOWN', 'UNICODE_FULL', '', 'toString', '__proto__']) expect(isCasefoldStrategy(word)).toBe(false);
  });
});

describe('the case variants of an n-gram', () => {
  const variants = (gram: string, strategy: CasefoldStrategy, limit = 27): string[] | undefined => caseVariants(gram, strategy, limit)?.sort();

  it('are all that fold to the same, by either strategy', () => {
    expect(variants('aB1', 'ASCII')).toEqual(['AB1', 'Ab1', 'aB1', 'ab1']);
    expect(variants('éx', 'UNICODE_SIMPLE')).toEqual(['ÉX', 'Éx', 'éX', 'éx'].sort());
    expect(variants('éx', 'ASCII')).toEqual(['éX', 'éx']);
    expect(variants('Θ', 'UNICODE_SIMPLE')).toEqual(['Θ', 'θ', 'ϑ', 'ϴ'].sort());
  });

  it('have the Kelvin sign for k and the long s for s under both strategies', () => {
    for (const strategy of ['ASCII', 'UNICODE_SIMPLE'] as const) {
      expect(variants('k', strategy)).toEqual(['K', 'k', '\u212a']);
      expect(variants('S', strategy)).toEqual(['S', 's', '\u017f']);
    }
  });

  it('are given up where there are more than the limit', () => {
    expect(variants('ksk', 'ASCII')).toHaveLength(27);
    expect(variants('ksk', 'ASCII', 26)).toBeUndefined();
    expect(variants('θθθ', 'UNICODE_SIMPLE')).toBeUndefined();
    expect(variants('θaa', 'UNICODE_SIMPLE')).toHaveLength(16);
  });

  it('hold every text that folds to the same, for all letters of the table', () => {
    const all = pairs.map(({ from, to }) => ({ from, to, ofFrom: variants(from, 'UNICODE_SIMPLE') ?? [], ofTo: variants(to, 'UNICODE_SIMPLE') ?? [] }));
    expect(all.filter(({ from, to, ofFrom, ofTo }) => !ofFrom.includes(to) || !ofTo.includes(from))).toEqual([]);
    expect(all.filter(({ to, ofFrom }) => ofFrom.some((variant) => simple(variant) !== to))).toEqual([]);
  });
});
