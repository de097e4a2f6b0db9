import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGramPairs } from '../../../../../src/content-search/ngram-index/build/gram-pairs.ts';
import { createInverter, type Inverter } from '../../../../../src/content-search/ngram-index/build/invert.ts';
import type { RunStore } from '../../../../../src/content-search/ngram-index/build/runs.ts';
import { type ByteSource, CorruptSegment } from '../../../../../src/content-search/ngram-index/segment/format.ts';
import { loadHasher } from '../../../../../src/content-search/ngram-index/tokenize/hash.ts';
import { createTokenizer, TOKENIZER_DEFAULTS } from '../../../../../src/content-search/ngram-index/tokenize/tokenizer.ts';
import { documentsOf } from '../../../../support/content/segments.ts';
import { cases } from '../../../../support/oracle-runs.ts';
import { createRandom } from '../../../../support/random.ts';

const hasher = await loadHasher();

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

/** A posting is there until the next one. */
function listsOf(inverter: Inverter): readonly (readonly [trigram: Buffer, documents: readonly number[]])[] {
  return Array.from(inverter.postings(), (posting) => [Buffer.from(posting.trigram), documentsOf(posting)]);
}

type Lists = readonly (readonly [gram: string, documents: readonly number[]])[];

function inverted(texts: readonly string[], maxBytes: number, k: number): Lists {
  const tokenize = createTokenizer({ ...TOKENIZER_DEFAULTS, ngramK: k });
  const inverter = createInverter({ pairs: createGramPairs(k), runs: memoryRuns(), hasher, maxBytes });
  for (const [document, one] of texts.entries()) inverter.add(document, tokenize(Buffer.from(one)).grams);
  return listsOf(inverter).map(([trigram, documents]) => [trigram.toString('hex'), documents]);
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
      fc.property(fc.array(text, { maxLength: 30, size: 'max' }), fc.integer({ min: 60, max: 400 }), fc.constantFrom(1, 2, 4, 5), (texts, maxBytes, k) => {
        expect(inverted(texts, maxBytes, k)).toEqual(byDefinition(texts, k));
      }),
      { numRuns: cases(20) },
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30, size: 'max' }), (texts) => {
        expect(inverted(texts, 300, 3)).toEqual(byDefinition(texts, 3));
      }),
      { numRuns: 4 },
    );
  });

  it('holds no more in memory than it may, but for one document', () => {
    const runs = memoryRuns();
    const tokenize = createTokenizer(TOKENIZER_DEFAULTS);
    const inverter = createInverter({ pairs: createGramPairs(3), runs, hasher, maxBytes: 28 });
    for (let document = 0; document < 5; document += 1) inverter.add(document, tokenize(Buffer.from(`abcdefgh${document}`)).grams);
    // Seven n-grams, 4 bytes each, are one run for each document; so is a larger document.
    expect(runs.count()).toBe(5);
    inverter.add(5, tokenize(Buffer.from('the quick brown fox jumps')).grams);
    expect(runs.count()).toBe(6);
    expect(listsOf(inverter).find(([trigram]) => trigram.toString() === 'abc')).toEqual([Buffer.from('abc'), [0, 1, 2, 3, 4]]);
  });

  it('keeps a list of more documents than a pair tells apart', () => {
    const tokenize = createTokenizer(TOKENIZER_DEFAULTS);
    const runs = memoryRuns();
    const inverter = createInverter({ pairs: createGramPairs(3), runs, hasher });
    const documents = [...Array.from({ length: 9000 }, (_, at) => at * 131), 2 ** 20 + 2 ** 19, 2 ** 31];
    for (const document of documents) inverter.add(document, tokenize(Buffer.from('abc')).grams);
    expect(listsOf(inverter)).toEqual([[Buffer.from('abc'), documents]]);
    expect(runs.count()).toBe(3);
  });

  it('takes one large document after small ones, and small ones after it', () => {
    const random = createRandom(1);
    const large = Array.from({ length: 34_000 }, () => String.fromCharCode(32 + random.integer(95), 0x4e00 + random.integer(9000))).join('');
    const texts = ['abcd', large, 'abcd', large.slice(0, 2000)];
    expect(JSON.stringify(inverted(texts, 100_000, 3)) === JSON.stringify(byDefinition(texts, 3))).toBe(true);
  });

  it('is no inversion if a bit of a run is another, a run is shorter, or two are exchanged: nothing is built on it', { tags: ['FR-LSI-BG-22.1'] }, () => {
    const texts = Array.from({ length: 40 }, (_, at) => `text ${at} of ${at * 7919}`);
    const hurt = (how: (runs: Map<number, Buffer>) => void): (() => unknown) => {
      const kept = new Map<number, Buffer>();
      const runs: RunStore = {
        write: (run, parts) => void kept.set(run, Buffer.concat([...parts])),
        read(run): ByteSource {
          if (run === 0) how(kept);
          const bytes = kept.get(run) ?? Buffer.alloc(0);
          return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
        },
      };
      const inverter = createInverter({ pairs: createGramPairs(3), runs, hasher, maxBytes: 600 });
      const tokenize = createTokenizer(TOKENIZER_DEFAULTS);
      for (const [document, one] of texts.entries()) inverter.add(document, tokenize(Buffer.from(one)).grams);
      return () => listsOf(inverter);
    };
    const [first, second] = [0, 1];
    expect(hurt(() => undefined)).not.toThrow();
    fc.assert(
      fc.property(fc.nat(), fc.nat(7), fc.nat(1), (at, bit, run) => {
        expect(
          hurt((runs) => {
            const bytes = runs.get(run) ?? Buffer.alloc(0);
            const place = at % bytes.length;
            bytes.writeUInt8((bytes[place] ?? 0) ^ (1 << bit), place);
          }),
        ).toThrow(CorruptSegment);
      }),
      { numRuns: cases(60) },
    );
    expect(hurt((runs) => void runs.set(first, (runs.get(first) ?? Buffer.alloc(0)).subarray(0, -1)))).toThrow(CorruptSegment);
    expect(hurt((runs) => void runs.set(second, Buffer.alloc(0)))).toThrow(CorruptSegment);
    const exchange = (runs: Map<number, Buffer>): void => {
      const [one, other] = [runs.get(first), runs.get(second)];
      runs.set(first, other ?? Buffer.alloc(0)).set(second, one ?? Buffer.alloc(0));
    };
    expect(hurt(exchange)).toThrow(CorruptSegment);
  });
});
