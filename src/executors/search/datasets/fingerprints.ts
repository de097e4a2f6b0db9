import { ScanError } from '../scan-error.ts';

/** Which texts came more than once, in 8 bytes each: never overlooks one, and may suspect others. */
export interface Fingerprints {
  /** The text from `from` to `to`. */
  add(bytes: Uint8Array, from: number, to: number): void;
  /** To be asked once, after the last `add`: all suspects, some at a time, so that a file that is there twice needs no memory for each key. */
  repeated(): Iterable<Suspects>;
}

export interface Suspects {
  has(bytes: Uint8Array, from: number, to: number): boolean;
}

const BLOCK = 1 << 17;
/** 128 MiB of fingerprints, while 256 MB is what a search may take. */
const MAX = 16 * 1024 * 1024;
const SUSPECTS_AT_ONCE = 1 << 16;

/** Fingerprints of 64 bits. They choose what is compared, so a weak or attacked hash costs time and changes no answer. */
export function createFingerprints(): Fingerprints {
  /** Pairs of words, the low one first. */
  const blocks: Uint32Array[] = [];
  let count = 0;
  let words = new Uint32Array(0);

  function add(bytes: Uint8Array, from: number, to: number): void {
    const place = count % BLOCK;
    if (place === 0) {
      if (count >= MAX) throw new ScanError('RESOURCE_EXHAUSTED', `more than ${MAX} records in JSON Lines`);
      words = new Uint32Array(BLOCK * 2);
      blocks.push(words);
    }
    words[place * 2] = hash(bytes, from, to, LOW);
    words[place * 2 + 1] = hash(bytes, from, to, HIGH);
    count += 1;
  }

  function* repeated(): Generator<Suspects, void, void> {
    let suspects = new Set<bigint>();
    for (const pairs of partitions(blocks, count)) {
      const partition = new BigUint64Array(pairs.buffer);
      partition.sort();
      for (let i = 2; i < pairs.length; i += 2) {
        if (pairs[i] !== pairs[i - 2] || pairs[i + 1] !== pairs[i - 1]) continue;
        suspects.add(partition[i / 2] ?? 0n);
        if (suspects.size < SUSPECTS_AT_ONCE) continue;
        yield suspectsOf(suspects);
        suspects = new Set();
      }
    }
    if (suspects.size > 0) yield suspectsOf(suspects);
  }

  return { add, repeated };
}

function suspectsOf(hashes: ReadonlySet<bigint>): Suspects {
  return { has: (bytes, from, to) => hashes.has((BigInt(hash(bytes, from, to, HIGH)) << 32n) | BigInt(hash(bytes, from, to, LOW))) };
}

/** How many parts the fingerprints are sorted in: sorting one part at a time needs little room beside the blocks. */
const PARTS = 16;

/** All fingerprints, equal ones in one part. */
function* partitions(blocks: readonly Uint32Array[], count: number): Generator<Uint32Array<ArrayBuffer>, void, void> {
  const sizes = sizesOf(blocks, count);
  for (let part = 0; part < PARTS; part += 1) {
    const pairs = new Uint32Array((sizes[part] ?? 0) * 2);
    let filled = 0;
    for (const [index, words] of blocks.entries()) {
      const used = usedOf(index, count) * 2;
      for (let i = 0; i < used; i += 2) {
        const high = words[i + 1] ?? 0;
        if ((high & (PARTS - 1)) !== part) continue;
        pairs[filled] = words[i] ?? 0;
        pairs[filled + 1] = high;
        filled += 2;
      }
    }
    yield pairs;
  }
}

function sizesOf(blocks: readonly Uint32Array[], count: number): Uint32Array {
  const sizes = new Uint32Array(PARTS);
  for (const [index, words] of blocks.entries()) {
    const used = usedOf(index, count) * 2;
    for (let i = 1; i < used; i += 2) {
      const part = (words[i] ?? 0) & (PARTS - 1);
      sizes[part] = (sizes[part] ?? 0) + 1;
    }
  }
  return sizes;
}

function usedOf(block: number, count: number): number {
  return Math.min(BLOCK, count - block * BLOCK);
}

const LOW = { start: 0x9e3779b9, prime: 0x01000193 };
const HIGH = { start: 0x85ebca6b, prime: 0xc2b2ae35 };

/** A multiplicative hash of the bytes with a final mix (the steps of MurmurHash3). */
function hash(bytes: Uint8Array, from: number, to: number, { start, prime }: { start: number; prime: number }): number {
  let h = start ^ (to - from);
  for (let i = from; i < to; i += 1) {
    h = Math.imul(h ^ (bytes[i] ?? 0), prime);
    h ^= h >>> 15;
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
