import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGramCollector, gramsOf, gramTexts } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';

/** By definition, with the slow tools of the language. */
function byDefinition(text: string, k: number): Set<string> {
  const points = [...text.replaceAll('\r\n', '\n')];
  return new Set(points.flatMap((_, at) => (at + k <= points.length ? [points.slice(at, at + k).join('')] : [])));
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'A', '\r', '\n', '\0', '\x7f', '\x80', 'é', '€', '中', '😀', '\u{10ffff}'), { maxLength: 60 })
  .map((parts) => parts.join(''));
const ascii = fc.array(fc.constantFrom('a', 'b', 'c', '\r', '\n', '\0', '\x7f'), { maxLength: 60 }).map((parts) => parts.join(''));

describe('the n-grams of a text', () => {
  it('are those of the definition, each once, whatever k is', { tags: ['FR-LSI-TOK-05.1'] }, () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 8 }), (sample, k) => {
        const collector = createGramCollector(k);
        expect(collector.addText(sample)).toBe([...sample.replaceAll('\r\n', '\n')].length);
        const grams = [...gramTexts(collector.take())];
        expect(new Set(grams)).toEqual(byDefinition(sample, k));
        expect(new Set(grams).size).toBe(grams.length);
      }),
      { numRuns: 300 },
    );
  });

  it('are the same from ASCII bytes as from text, in the same order', () => {
    fc.assert(
      fc.property(ascii, fc.integer({ min: 1, max: 3 }), (sample, k) => {
        const collector = createGramCollector(k);
        const length = collector.addAscii(Buffer.from(sample));
        const fromBytes = collector.take();
        expect(collector.addText(sample)).toBe(length);
        expect(collector.take()).toEqual(fromBytes);
        expect(fromBytes.wide).toHaveLength(0);
      }),
      { numRuns: 300 },
    );
  });

  it('are numbers where they are ASCII and k is at most 3, and code points where not', () => {
    const collector = createGramCollector(3);
    collector.addText('abcé');
    expect(collector.take()).toEqual({ k: 3, narrow: Uint32Array.of((0x61 << 14) | (0x62 << 7) | 0x63), wide: Uint32Array.of(0x62, 0x63, 0xe9) });
    const larger = createGramCollector(4);
    expect(larger.addAscii(Buffer.from('abcd'))).toBeUndefined();
    larger.addText('abcd');
    expect(larger.take()).toEqual({ k: 4, narrow: new Uint32Array(0), wide: Uint32Array.of(0x61, 0x62, 0x63, 0x64) });
  });

  it('are not taken from bytes that are not ASCII, and nothing stays behind', () => {
    const collector = createGramCollector(3);
    expect(collector.addAscii(Buffer.from('abcdé'))).toBeUndefined();
    expect([...gramTexts(collector.take())]).toEqual([]);
  });

  it('survive a text with more of them than any table begins with, and the next text is small again', () => {
    const collector = createGramCollector(3);
    const many = String.fromCodePoint(...Array.from({ length: 20_000 }, (_, i) => 0x4e00 + ((i * 7919) % 12_000) + (i > 10_000 ? 1 : 0)));
    const narrow = Array.from({ length: 15_000 }, (_, i) => String.fromCharCode((i * i * 31 + (i >> 7)) % 128)).join('');
    // Twice the same: what came before the tables grew is found in them afterwards.
    for (const sample of [many, 'éàü', `${many}${many}x`, `${narrow.replaceAll('\r', '')}é`, '']) {
      collector.addText(sample);
      const grams = [...gramTexts(collector.take())];
      expect(new Set(grams)).toEqual(byDefinition(sample, 3));
      expect(new Set(grams).size).toBe(grams.length);
    }
  });
});

describe('the n-grams of a query', () => {
  it('are those of the definition in order of their first place, each once', () => {
    expect(gramsOf('ababab', 3)).toEqual(['aba', 'bab']);
    expect(gramsOf('abcab', 2)).toEqual(['ab', 'bc', 'ca']);
    expect(gramsOf('😀é', 1)).toEqual(['😀', 'é']);
  });

  it('are one for a text of k characters, and none for a shorter one', { tags: ['FR-LSI-CAND-LIT-03.2'] }, () => {
    expect(gramsOf('a😀é', 3)).toEqual(['a😀é']);
    expect(gramsOf('a😀', 3)).toEqual([]);
    expect(gramsOf('', 3)).toEqual([]);
  });
});
