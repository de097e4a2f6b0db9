import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInverter } from '../../../../../src/content-search/index/build/invert.ts';
import type { RunStore } from '../../../../../src/content-search/index/build/runs.ts';
import type { ByteSource } from '../../../../../src/content-search/index/segment/format.ts';
import { createTokenizer, TOKENIZER_DEFAULTS } from '../../../../../src/content-search/index/tokenizer.ts';

function memoryRuns(): RunStore & { readonly count: () => number } {
  const runs = new Map<number, Buffer>();
  return {
    write: (run, parts) => void runs.set(run, Buffer.concat([...parts])),
    read(run): ByteSource {
      const bytes = runs.get(run) ?? Buffer.alloc(0);
      return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
    },
    count: () => runs.size,
  };
}

const text = fc.string({ unit: fc.constantFrom(...'abcé\u4e00\u{1f600}\n\0~'), maxLength: 60, size: 'max' });

type Lists = readonly (readonly [gram: string, documents: readonly number[]])[];

function inverted(texts: readonly string[], maxPairs: number, k: number): Lists {
  const tokenize = createTokenizer({ ...TOKENIZER_DEFAULTS, ngramK: k });
  const inverter = createInverter({ k, runs: memoryRuns(), maxPairs });
  for (const [document, one] of texts.entries()) inverter.add(document, tokenize(Buffer.from(one)).grams);
  return [...inverter.postings(texts.length)].map(({ trigram, documents }) => [trigram.toString('hex'), Array.from(documents)]);
}

function byDefinition(texts: readonly string[], k: number): Lists {
  const lists = new Map<string, number[]>();
  for (const [document, one] of texts.entries()) {
    const points = [...one.normalize('NFC')];
    for (let at = 0; at + k <= points.length; at += 1) {
      const hex = Buffer.from(points.slice(at, at + k).join('')).toString('hex');
      const list = lists.get(hex) ?? [];
      if (list.at(-1) !== document) lists.set(hex, [...list, document]);
    }
  }
  return [...lists].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('an inversion', () => {
  it('gives every n-gram with the documents that have it, in byte order, however little fits into memory', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30, size: 'max' }), fc.integer({ min: 60, max: 400 }), fc.constantFrom(1, 2, 4, 5), (texts, maxPairs, k) => {
        expect(inverted(texts, maxPairs, k)).toEqual(byDefinition(texts, k));
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30, size: 'max' }), (texts) => {
        expect(inverted(texts, 300, 3)).toEqual(byDefinition(texts, 3));
      }),
      { numRuns: 4 },
    );
  });

  it('holds no more pairs in memory than it may, and refuses a document that alone is too much', () => {
    const runs = memoryRuns();
    const tokenize = createTokenizer(TOKENIZER_DEFAULTS);
    const inverter = createInverter({ k: 3, runs, maxPairs: 10 });
    for (let document = 0; document < 5; document += 1) inverter.add(document, tokenize(Buffer.from(`abcdefgh${document}`)).grams);
    expect(runs.count()).toBe(4);
    expect(() => inverter.add(5, tokenize(Buffer.from('the quick brown fox jumps')).grams)).toThrow(RangeError);
  });
});
