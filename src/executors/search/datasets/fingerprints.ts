import { ScanError } from '../scan-error.ts';

/** Which texts came more than once, in 8 bytes each: never overlooks one, and may suspect others. */
export interface Fingerprints {
  add(text: string): void;
  /** To be asked once, after the last `add`. */
  repeated(): { readonly none: boolean; has(text: string): boolean };
}

const BLOCK = 1 << 17;
/** 128 MiB of fingerprints, while 256 MB is what a search may take. */
const MAX = 16 * 1024 * 1024;

/** Fingerprints of 64 bits. They choose what is compared, so a weak or attacked hash costs time and changes no answer. */
export function createFingerprints(): Fingerprints {
  const blocks: BigUint64Array[] = [];
  let count = 0;
  let words = new Uint32Array(0);

  function add(text: string): void {
    const place = count % BLOCK;
    if (place === 0) {
      if (count >= MAX) throw new ScanError('RESOURCE_EXHAUSTED', `more than ${MAX} records in JSON Lines`);
      const block = new BigUint64Array(BLOCK);
      blocks.push(block);
      words = new Uint32Array(block.buffer);
    }
    words[place * 2] = hash(text, LOW);
    words[place * 2 + 1] = hash(text, HIGH);
    count += 1;
  }

  function repeated() {
    const suspects = new Set<bigint>();
    for (const partition of partitions(blocks, count)) {
      partition.sort();
      for (let i = 1; i < partition.length; i += 1) {
        const value = partition[i];
        if (value !== undefined && value === partition[i - 1]) suspects.add(value);
      }
    }
    return { none: suspects.size === 0, has: (text: string) => suspects.has((BigInt(hash(text, HIGH)) << 32n) | BigInt(hash(text, LOW))) };
  }

  return { add, repeated };
}

/** How many parts the fingerprints are sorted in: sorting one part at a time needs little room beside the blocks. */
const PARTS = 16;

function* partitions(blocks: readonly BigUint64Array[], count: number): Iterable<BigUint64Array> {
  for (let part = 0; part < PARTS; part += 1) {
    const sizes = sum(blocks, count, part);
    const values = new BigUint64Array(sizes);
    let filled = 0;
    each(blocks, count, part, (value) => {
      values[filled] = value;
      filled += 1;
    });
    yield values;
  }
}

function sum(blocks: readonly BigUint64Array[], count: number, part: number): number {
  let size = 0;
  for (const [index, block] of blocks.entries()) {
    const words = new Uint32Array(block.buffer);
    const used = Math.min(BLOCK, count - index * BLOCK);
    for (let i = 0; i < used; i += 1) if (((words[i * 2 + 1] ?? 0) & (PARTS - 1)) === part) size += 1;
  }
  return size;
}

function each(blocks: readonly BigUint64Array[], count: number, part: number, visit: (value: bigint) => void): void {
  for (const [index, block] of blocks.entries()) {
    const words = new Uint32Array(block.buffer);
    const used = Math.min(BLOCK, count - index * BLOCK);
    for (let i = 0; i < used; i += 1) {
      if (((words[i * 2 + 1] ?? 0) & (PARTS - 1)) === part) visit(block[i] ?? 0n);
    }
  }
}

const LOW = { start: 0x9e3779b9, prime: 0x01000193 };
const HIGH = { start: 0x85ebca6b, prime: 0xc2b2ae35 };

/** A multiplicative hash of the UTF-16 units with a final mix (the steps of MurmurHash3). */
function hash(text: string, { start, prime }: { start: number; prime: number }): number {
  let h = start ^ text.length;
  for (let i = 0; i < text.length; i += 1) {
    h = Math.imul(h ^ text.charCodeAt(i), prime);
    h ^= h >>> 15;
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
