import type { Embedder } from '../../../core/ports/embedder.ts';
import { unitVector } from '../../../core/unit-vector.ts';
import { fnv1a64 } from './fnv.ts';

const DIMENSION = 384;
/** Words whose place is remembered; most mail is written with few of them. */
const MAX_KNOWN = 20_000;

/**
 * The embedder that needs no model: each word adds 1 to a place that its FNV-1a hash names, or takes 1 away. Texts are near
 * each other when they share words; it knows nothing of what words mean.
 */
export function createHashEmbedder(): Embedder {
  const vectorOf = createHashing();
  return { id: 'fnv1a-384', dimension: DIMENSION, embed: async (texts) => texts.map(vectorOf) };
}

/** The same for one text. Throws Error when it is empty. */
export function createHashing(): (text: string) => Float32Array {
  const encoder = new TextEncoder();
  /** Place of a word, with its sign; 0 would have no sign, so places count from 1. */
  const places = new Map<string, number>();

  function placeOf(word: string): number {
    const known = places.get(word);
    if (known !== undefined) return known;
    const { high, low } = fnv1a64(encoder.encode(word));
    // 2^32 mod 384 is 256.
    const place = (((high % DIMENSION) * 256 + (low % DIMENSION)) % DIMENSION) + 1;
    const signed = high >>> 31 === 1 ? place : -place;
    if (places.size >= MAX_KNOWN) places.clear();
    places.set(word, signed);
    return signed;
  }

  return (text) => {
    if (text === '') throw new Error('an empty text has no vector');
    const words = wordsOf(text);
    const sums = new Float64Array(DIMENSION);
    if (words.length === 0) sums.fill(1);
    for (const word of words) {
      const place = placeOf(word);
      sums[Math.abs(place) - 1] = (sums[Math.abs(place) - 1] ?? 0) + Math.sign(place);
    }
    return unitVector(sums);
  };
}

/** Runs of letters and digits in lower case, of at least two bytes. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{Alphabetic}\p{N}]+/u)
    .filter((word) => word.length > 1 || word > '\u007f');
}
