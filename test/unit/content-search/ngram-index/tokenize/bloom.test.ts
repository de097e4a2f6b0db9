import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  BLOOM_HASH_SEED,
  BLOOM_TARGET_FP_RATE,
  bitPositions,
  bitsetOf,
  bloomParams,
  materializeBitset,
  mayContain,
} from '../../../../../src/content-search/ngram-index/tokenize/bloom.ts';
import type { CasefoldStrategy } from '../../../../../src/content-search/ngram-index/tokenize/casefold.ts';
import { loadHasher } from '../../../../../src/content-search/ngram-index/tokenize/hash.ts';
import { gramsOf } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { GOLDEN } from '../../../../fixtures/content-index/golden.ts';

const hasher = await loadHasher();
const sha256 = (bytes: Uint8Array | undefined): string | undefined => bytes && createHash('sha256').update(bytes).digest('hex');
const STRATEGIES: readonly CasefoldStrategy[] = ['ASCII', 'UNICODE_SIMPLE'];
const bitset = (text: string, variant: 'SENSITIVE' | 'INSENSITIVE', strategy: CasefoldStrategy): Uint8Array | undefined =>
  materializeBitset(Buffer.from(text), variant, { ngramK: 3, maxTokenizedBytes: 400, bloom: bloomParams(400), strategy }, hasher);

describe('the size of a filter', () => {
  it.each(GOLDEN.sizes)(
    'follows the formula for %d bytes and a rate of %d',
    { tags: ['FR-LSI-BLOOM-01.1', 'FR-LSI-BLOOM-01.2'] },
    (max, rate, n, m, kHashes) => {
      expect(bloomParams(max, rate)).toEqual({ basisNgrams: n, targetFpRate: rate, mBits: m, kHashes, hashSeed: BLOOM_HASH_SEED });
    },
  );

  it('is 5,025,332 bits and 7 hashes for the defaults: the formula, not the example beside it', {
    tags: ['FR-LSI-BLOOM-01.4', 'FR-LSI-BLOOM-01.3', 'LSI-BLOOM-CFG-02'],
  }, () => {
    expect(BLOOM_TARGET_FP_RATE).toBe(0.01);
    expect(bloomParams(1_048_576)).toEqual({ basisNgrams: 524_288, targetFpRate: 0.01, mBits: 5_025_332, kHashes: 7, hashSeed: 0x9e3779b97f4a7c15n });
  });

  it('is refused where no n-gram or no rate is left', () => {
    for (const max of [1, 0, -4, Number.NaN]) expect(() => bloomParams(max)).toThrow('at least 2 tokenized bytes');
    for (const rate of [0, 1, -1, 2, Number.NaN]) expect(() => bloomParams(400, rate)).toThrow('between 0 and 1');
  });
});

describe('the bits of an n-gram', () => {
  it('are the golden ones, as many as there are hashes', { tags: ['FR-LSI-BLOOM-02.3'] }, () => {
    const { max, bits } = GOLDEN.bloom;
    for (const [gram, expected] of Object.entries(bits)) expect(bitPositions(gram, bloomParams(max), hasher)).toEqual(expected);
    for (const [gram, expected] of Object.entries(GOLDEN.defaultBits)) expect(bitPositions(gram, bloomParams(1_048_576), hasher)).toEqual(expected);
  });

  it('are h1 + i * h2 over the integers, reduced by m: nothing wraps at 64 bits', { tags: ['T-LSI-BLOOM-04', 'FR-LSI-BLOOM-02.3'] }, () => {
    const gram = Buffer.from('abc');
    const [h1, h2] = [hasher.h64(gram, 0n), hasher.h64(gram, 0x9e3779b97f4a7c15n)];
    const sums = [0n, 1n, 2n, 3n, 4n, 5n, 6n].map((i) => h1 + i * h2);
    expect(bitPositions('abc', bloomParams(1_048_576), hasher)).toEqual(sums.map((sum) => Number(sum % 5_025_332n)));
    expect(sums.some((sum) => BigInt.asUintN(64, sum) % 5_025_332n !== sum % 5_025_332n)).toBe(true);
  });
});

describe('a filter', () => {
  it('of a fixed set of n-grams has exactly the golden bytes', { tags: ['T-LSI-BLOOM-01'] }, () => {
    const { max, grams, bitset: expected } = GOLDEN.bloom;
    expect(Buffer.from(bitsetOf(grams, bloomParams(max), hasher)).toString('hex')).toBe(expected);
  });

  it('keeps bit b at byte b / 8, lowest bit first', { tags: ['T-LSI-BLOOM-04', 'FR-LSI-BLOOM-03.1'] }, () => {
    const params = bloomParams(400);
    const bytes = bitsetOf(['xyz'], params, hasher);
    expect(bytes).toHaveLength(Math.ceil(params.mBits / 8));
    const set = Array.from({ length: bytes.length * 8 }, (_, bit) => bit).filter((bit) => (((bytes[Math.floor(bit / 8)] ?? 0) >> (bit % 8)) & 1) === 1);
    expect(set).toEqual([...new Set(bitPositions('xyz', params, hasher))].sort((a, b) => a - b));
  });

  it('has zeros behind its last bit, and looks at none of them', { tags: ['FR-LSI-BLOOM-03.2'] }, () => {
    const params = bloomParams(400);
    const every = Array.from({ length: 2000 }, (_, i) => i.toString(36).padStart(3, '.'));
    const bytes = bitsetOf(every, params, hasher);
    const unused = 8 * bytes.length - params.mBits;
    expect(unused).toBe(2);
    expect((bytes.at(-1) ?? 0) >>> (8 - unused)).toBe(0);
    const clean = bitsetOf(['abc'], params, hasher);
    const dirty = Uint8Array.from(clean, (byte, at) => (at === clean.length - 1 ? byte | 0xc0 : byte));
    expect(every.filter((gram) => mayContain(dirty, [gram], params, hasher) !== mayContain(clean, [gram], params, hasher))).toEqual([]);
  });

  it.each(GOLDEN.files.map((file) => [`${file.name}, k = ${file.k}, at most ${file.max} bytes`, file] as const))(
    'of a file has the golden bits in both variants: %s',
    { tags: ['T-LSI-TOK-01', 'FR-LSI-BLOOM-04'] },
    (_, file) => {
      for (const strategy of STRATEGIES) {
        const rules = { ngramK: file.k, maxTokenizedBytes: file.max, bloom: bloomParams(file.max), strategy };
        const bytes = Buffer.from(file.hex, 'hex');
        const sensitive = materializeBitset(bytes, 'SENSITIVE', rules, hasher);
        expect(sha256(sensitive)).toBe(file.sha256?.SENSITIVE);
        expect(sha256(materializeBitset(bytes, 'INSENSITIVE', rules, hasher))).toBe(file.sha256?.[strategy]);
        if (file.bitset !== undefined) expect(Buffer.from(sensitive ?? []).toString('hex')).toBe(file.bitset);
      }
    },
  );

  it('is not there for a file that is not tokenized, and empty for one shorter than an n-gram', () => {
    expect(bitset('x'.repeat(401), 'SENSITIVE', 'ASCII')).toBeUndefined();
    expect(bitset('\ufffd\ufffd\ufffd', 'INSENSITIVE', 'ASCII')).toBeUndefined();
    expect(bitset('ab', 'SENSITIVE', 'ASCII')).toEqual(new Uint8Array(240));
  });

  it('is the same for ABC and abc when case does not count, and not when it does', { tags: ['T-LSI-TOK-04'] }, () => {
    for (const strategy of STRATEGIES) expect(bitset('ABC', 'INSENSITIVE', strategy)).toEqual(bitset('abc', 'INSENSITIVE', strategy));
    expect(bitset('ABC', 'SENSITIVE', 'ASCII')).not.toEqual(bitset('abc', 'SENSITIVE', 'ASCII'));
  });

  it('is the same for Ñ and ñ when letters of Unicode are folded, and not when only ASCII is', { tags: ['T-LSI-TOK-05'] }, () => {
    expect(bitset('Ñandú', 'INSENSITIVE', 'UNICODE_SIMPLE')).toEqual(bitset('ñANDÚ', 'INSENSITIVE', 'UNICODE_SIMPLE'));
    expect(bitset('Ñandú', 'INSENSITIVE', 'ASCII')).not.toEqual(bitset('ñandú', 'INSENSITIVE', 'ASCII'));
  });
});

describe('a look into a filter', () => {
  const params = bloomParams(400);
  const filter = bitsetOf(gramsOf('the needle in the haystack', 3), params, hasher);

  it('never denies what is there', { tags: ['FR-LSI-BLOOM-Q-02.2'] }, () => {
    const patterns = ['needle', 'the', ' in ', 'haystack', 'the needle in the haystack'];
    for (const pattern of patterns) expect(mayContain(filter, gramsOf(pattern, 3), params, hasher)).toBe(true);
  });

  it('denies an n-gram as soon as one of its bits is zero', { tags: ['FR-LSI-BLOOM-Q-02.1'] }, () => {
    for (const bit of bitPositions('nee', params, hasher)) {
      const cleared = Uint8Array.from(filter, (byte, at) => (at === bit >> 3 ? byte & ~(1 << (bit & 7)) : byte));
      expect(mayContain(cleared, gramsOf('needle', 3), params, hasher)).toBe(false);
    }
  });

  it('denies a pattern when one of its n-grams is absent', { tags: ['FR-LSI-BLOOM-Q-02.1'] }, () => {
    expect(mayContain(filter, gramsOf('needlework', 3), params, hasher)).toBe(false);
  });
});
