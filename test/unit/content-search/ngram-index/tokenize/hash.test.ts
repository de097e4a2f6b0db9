import { describe, expect, it } from 'vitest';
import { XXHash64 } from 'xxhash-addon';
import { BLOOM_HASH_SEED } from '../../../../../src/content-search/ngram-index/tokenize/bloom.ts';
import { loadHasher } from '../../../../../src/content-search/ngram-index/tokenize/hash.ts';
import { GOLDEN } from '../../../../fixtures/content-index/golden.ts';

const hasher = await loadHasher();
const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7 + 3) % 256);
const hex = (value: bigint): string => value.toString(16).padStart(16, '0');

describe('the hash functions', () => {
  it('give the published values of XXH64', { tags: ['T-LSI-BLOOM-03', 'FR-LSI-BLOOM-02.1'] }, () => {
    expect(hex(hasher.h64(new Uint8Array(0), 0n))).toBe('ef46db3751d8e999');
    expect(hex(hasher.h64(Buffer.from('abc'), 0n))).toBe('44bc2cf5ad770999');
  });

  it('agree with an implementation in Python for every length of a block and both seeds', { tags: ['T-LSI-BLOOM-03', 'FR-LSI-BLOOM-02.2'] }, () => {
    for (const [length, seedless, seeded] of GOLDEN.hashes) {
      expect(hex(hasher.h64(bytesOf(length), 0n))).toBe(seedless);
      expect(hex(hasher.h64(bytesOf(length), BLOOM_HASH_SEED))).toBe(seeded);
    }
  });

  it('agree with a native implementation', { tags: ['T-LSI-BLOOM-03'] }, () => {
    for (const length of [0, 3, 9, 31, 32, 33, 4096]) {
      const native = XXHash64.hash(Buffer.from(bytesOf(length))).toString('hex');
      expect(hex(hasher.h64(bytesOf(length), 0n))).toBe(native);
    }
  });

  it('give the published value of XXH32', () => {
    expect(hasher.h32(new Uint8Array(0), 0)).toBe(0x02cc5d05);
  });

  it('read a part of a larger buffer as its own bytes', () => {
    const part = Buffer.from('xxabcyy').subarray(2, 5);
    expect(hex(hasher.h64(part, 0n))).toBe('44bc2cf5ad770999');
  });
});
