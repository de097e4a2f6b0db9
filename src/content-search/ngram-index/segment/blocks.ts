import type { Hasher } from '../tokenize/hash.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { BLOCK_BYTES, type ByteSource, CorruptSegment, seedOf } from './format.ts';

/** Where a block lies, and the first key in it. */
export interface BlockLocation {
  readonly firstKey: Buffer;
  /** Bytes from the start of the section. */
  readonly offset: number;
  /** Bytes, checksum included. */
  readonly length: number;
}

export const CHECKSUM_BYTES = 8;

/** The bytes followed by their checksum. */
export function sealed(bytes: Uint8Array, seed: bigint, hasher: Hasher): Buffer {
  const whole = Buffer.allocUnsafe(bytes.length + CHECKSUM_BYTES);
  whole.set(bytes);
  whole.writeBigUInt64LE(hasher.h64(bytes, seed), bytes.length);
  return whole;
}

/** The bytes before the checksum. @throws CorruptSegment when they are not the ones it was made of */
export function unsealed(whole: Buffer, seed: bigint, hasher: Hasher, what: string): Buffer {
  const end = whole.length - CHECKSUM_BYTES;
  if (end < 0) throw new CorruptSegment(`${what} is too short`);
  const bytes = whole.subarray(0, end);
  if (hasher.h64(bytes, seed) !== whole.readBigUInt64LE(end)) throw new CorruptSegment(`${what} does not have its checksum`);
  return bytes;
}

export interface SectionId {
  readonly section: number;
  readonly indexSection: number;
  readonly generation: number;
}

/** Gathers entries into blocks of some 4 KiB, each under a checksum, and notes where they lie. */
export class BlockWriter {
  /** The block that is being filled. */
  readonly open = new ByteWriter(2 * BLOCK_BYTES);
  readonly #id: SectionId;
  readonly #hasher: Hasher;
  readonly #emit: (bytes: Uint8Array) => void;
  /** The index of the blocks, written as they end: a Buffer for each key would keep the slab alive that Node has cut it from. */
  readonly #places = new ByteWriter();
  #blocks = 0;
  #firstKey: Buffer | undefined;
  #offset = 0;

  constructor(id: SectionId, hasher: Hasher, emit: (bytes: Uint8Array) => void) {
    this.#id = id;
    this.#hasher = hasher;
    this.#emit = emit;
  }

  /** Whether the next entry is the first of its block: front coding begins anew there. */
  get isFresh(): boolean {
    return this.#firstKey === undefined;
  }

  /** Starts an entry; called before its bytes are written. */
  begin(key: Buffer): void {
    this.#firstKey ??= Buffer.from(key);
  }

  /** Whether the block has the size that blocks have. */
  get isFull(): boolean {
    return this.open.length >= BLOCK_BYTES - CHECKSUM_BYTES;
  }

  /** Ends the block, if anything is in it. */
  flush(): void {
    if (this.#firstKey === undefined) return;
    const block = sealed(this.open.view(), seedOf(this.#id.section, this.#blocks, this.#id.generation), this.#hasher);
    this.#places.varint(this.#firstKey.length);
    this.#places.bytes(this.#firstKey);
    this.#places.varint(this.#offset);
    this.#places.varint(block.length);
    this.#blocks += 1;
    this.#emit(block);
    this.#offset += block.length;
    this.#firstKey = undefined;
    this.open.clear();
  }

  /** The index of the blocks, under its own checksum. */
  index(): Buffer {
    const out = new ByteWriter();
    out.varint(this.#blocks);
    out.bytes(this.#places.view());
    return sealed(out.view(), seedOf(this.#id.indexSection, 0, this.#id.generation), this.#hasher);
  }
}

/** The blocks of a section, read one at a time and checked each time. */
export interface Blocks {
  readonly places: readonly BlockLocation[];
  /** @throws CorruptSegment */
  read(block: number): Buffer;
  /** Several blocks that follow each other, with one look at the file. @throws CorruptSegment */
  readMany(first: number, count: number): Buffer[];
}

export interface SectionLocation {
  readonly offset: number;
  readonly length: number;
}

/** @throws CorruptSegment when the index of the section is not whole */
export function openBlocks(source: ByteSource, section: SectionLocation, index: SectionLocation, id: SectionId, hasher: Hasher): Blocks {
  const whole = source.read(index.offset, index.length);
  if (whole.length !== index.length) throw new CorruptSegment('the segment ends too early');
  const places = readIndex(new ByteReader(unsealed(whole, seedOf(id.indexSection, 0, id.generation), hasher, 'an index of blocks')), section.length);
  function readMany(first: number, count: number): Buffer[] {
    const wanted = places.slice(first, first + count);
    const [begin, end] = [wanted[0]?.offset ?? 0, wanted.reduce((_, place) => place.offset + place.length, 0)];
    if (wanted.length !== count) throw new CorruptSegment('there is no such block');
    const bytes = source.read(section.offset + begin, end - begin);
    if (bytes.length !== end - begin) throw new CorruptSegment('the segment ends too early');
    return wanted.map(({ offset, length }, at) =>
      unsealed(bytes.subarray(offset - begin, offset - begin + length), seedOf(id.section, first + at, id.generation), hasher, 'a block'),
    );
  }
  return {
    places,
    readMany,
    read(block) {
      const [bytes] = readMany(block, 1);
      if (bytes === undefined) throw new CorruptSegment('there is no such block');
      return bytes;
    },
  };
}

/** Blocks with a cache of those read last: a search asks for neighbours. Cached blocks were checked when they were read. */
export function remembering(blocks: Blocks, most: number): Blocks {
  const known = new Map<number, Buffer>();
  return {
    ...blocks,
    read(block) {
      const bytes = known.get(block) ?? blocks.read(block);
      known.delete(block);
      known.set(block, bytes);
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
      return bytes;
    },
  };
}

function readIndex(reader: ByteReader, sectionBytes: number): BlockLocation[] {
  const count = reader.varint();
  const places: BlockLocation[] = [];
  let end = 0;
  for (let i = 0; i < count; i += 1) {
    const firstKey = Buffer.from(reader.bytes(reader.varint()));
    const place = { firstKey, offset: reader.varint(), length: reader.varint() };
    if (place.offset !== end) throw new CorruptSegment('blocks do not follow each other');
    end = place.offset + place.length;
    places.push(place);
  }
  if (!reader.ended || end !== sectionBytes) throw new CorruptSegment('an index of blocks does not cover its section');
  return places;
}

/** The last block whose first key is on the near side; -1 when none is. Keys go from the near side to the far one. */
export function lastBlock(places: readonly BlockLocation[], isNear: (firstKey: Buffer) => boolean): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = places[middle];
    if (place !== undefined && isNear(place.firstKey)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
