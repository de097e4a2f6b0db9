import { type CasefoldStrategy, foldText } from './casefold.ts';
import type { Hasher } from './hash.ts';
import { createTokenizer, type TokenizerSettings } from './tokenizer.ts';
import { gramTexts } from './trigrams.ts';

/**
 * The Bloom filters of Appendix F.3 and F.4. The index keeps exact lists instead, which answer the same question with less
 * room and no false positives; a filter is made of a file's bytes whenever one is asked for.
 */

/** bloom_target_fp_rate. */
export const BLOOM_TARGET_FP_RATE = 0.01;
/** bloom_hash_seed, from the golden ratio. Above 2^63: SQLite keeps it as a negative number. */
export const BLOOM_HASH_SEED = 0x9e3779b97f4a7c15n;

export type BloomVariant = 'SENSITIVE' | 'INSENSITIVE';

/** Equal for all files of an index key, and stored with it (FR-LSI-CAND-LIT-04). */
export interface BloomParams {
  /** `bloom_basis_ngrams`: the number of n-grams that the size was made for. */
  readonly basisNgrams: number;
  readonly targetFpRate: number;
  readonly mBits: number;
  readonly kHashes: number;
  readonly hashSeed: bigint;
}

/**
 * The size of every filter of an index, from its settings (FR-LSI-BLOOM-01). The formula holds and not the worked example
 * beside it, whose m (5,021,884) is not what the formula gives for the defaults (5,025,332).
 *
 * @throws RangeError if the settings leave no n-gram, or the rate is not between 0 and 1
 */
export function bloomParams(maxTokenizedBytes: number, targetFpRate = BLOOM_TARGET_FP_RATE): BloomParams {
  const n = Math.floor(maxTokenizedBytes / 2);
  if (!(n >= 1)) throw new RangeError('a filter needs room for one n-gram: at least 2 tokenized bytes');
  if (!(targetFpRate > 0 && targetFpRate < 1)) throw new RangeError('the rate of false positives lies between 0 and 1');
  const mBits = Math.ceil((-n * Math.log(targetFpRate)) / Math.LN2 ** 2);
  return { basisNgrams: n, targetFpRate, mBits, kHashes: Math.max(1, Math.floor((mBits / n) * Math.LN2 + 0.5)), hashSeed: BLOOM_HASH_SEED };
}

/**
 * The bits of one n-gram: (h1 + i * h2) mod m for each i below kHashes (FR-LSI-BLOOM-02). The sum is that of integers, it
 * does not wrap at 64 bits; with both hashes reduced first it never leaves the exact range of a double.
 */
export function bitPositions(gram: string, { mBits, kHashes, hashSeed }: BloomParams, hasher: Hasher): number[] {
  const bytes = Buffer.from(gram, 'utf8');
  const m = BigInt(mBits);
  const first = Number(hasher.h64(bytes, 0n) % m);
  const stride = Number(hasher.h64(bytes, hashSeed) % m);
  return Array.from({ length: kHashes }, (_, i) => (first + i * stride) % mBits);
}

/** The filter of some n-grams: ceil(m / 8) bytes, bit 0 is the lowest bit of byte 0, bits from m on are zero (FR-LSI-BLOOM-03). */
export function bitsetOf(grams: Iterable<string>, params: BloomParams, hasher: Hasher): Uint8Array {
  const bitset = new Uint8Array(Math.ceil(params.mBits / 8));
  for (const gram of grams) {
    for (const bit of bitPositions(gram, params, hasher)) bitset[bit >>> 3] = (bitset[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }
  return bitset;
}

/** Whether a filter may have all of the n-grams: false proves that one of them is absent (FR-LSI-BLOOM-Q-02). */
export function mayContain(bitset: Uint8Array, grams: readonly string[], params: BloomParams, hasher: Hasher): boolean {
  const isSet = (bit: number): boolean => ((bitset[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  return grams.every((gram) => bitPositions(gram, params, hasher).every(isSet));
}

/** What a filter is made by. */
export interface BitsetRules extends TokenizerSettings {
  readonly bloom: BloomParams;
  readonly strategy: CasefoldStrategy;
}

/**
 * The filter that Appendix F gives a file, bit for bit (FR-LSI-BLOOM-04).
 *
 * @param bytes the whole file
 * @returns undefined for a file that is not tokenized: too large, or binary
 */
export function materializeBitset(bytes: Uint8Array, variant: BloomVariant, rules: BitsetRules, hasher: Hasher): Uint8Array | undefined {
  const { status, grams } = createTokenizer(rules)(bytes);
  return status === 'FULL' ? bitsetOf(VARIANT_GRAMS[variant](gramTexts(grams), rules.strategy), rules.bloom, hasher) : undefined;
}

/** Folding keeps each code point's place, so the n-grams of the folded text are the folded n-grams. */
const VARIANT_GRAMS = {
  SENSITIVE: (grams: Iterable<string>): Iterable<string> => grams,
  INSENSITIVE: (grams: Iterable<string>, strategy: CasefoldStrategy): Iterable<string> => new Set(Array.from(grams, (gram) => foldText(gram, strategy))),
} satisfies Record<BloomVariant, (grams: Iterable<string>, strategy: CasefoldStrategy) => Iterable<string>>;
