import type { Hasher } from '../hash.ts';
import { type Blocks, BlockWriter, lastBlock } from './blocks.ts';
import { ByteReader, sharedPrefix } from './bytes.ts';
import { type ByteSource, CorruptSegment, INLINE_COUNT, MAX_TRIGRAM_BYTES, SECTION } from './format.ts';
import { decodeList, encodeList, readDifferences, writeDifferences } from './postings.ts';

/** What a dictionary knows of a trigram: how many documents have it, and how to get them. */
export interface Posting {
  readonly count: number;
  /** Ascending numbers of documents. @throws CorruptSegment */
  documents(): Uint32Array;
}

/** Writes lists and the dictionary that leads to them. Trigrams must come in byte order, each once. */
export class DictionaryWriter {
  readonly blocks: BlockWriter;
  trigrams = 0;
  readonly #documents: number;
  readonly #seed: number;
  readonly #hasher: Hasher;
  readonly #emitList: (bytes: Uint8Array) => void;
  readonly #held: Buffer[] = [];
  #listOffset = 0;
  #last: Buffer = Buffer.alloc(0);

  /**
   * @param emitList gets the lists as they come; the blocks of the dictionary are held until `finish`
   */
  constructor({ documents, generation }: { documents: number; generation: number }, hasher: Hasher, emitList: (bytes: Uint8Array) => void) {
    this.#documents = documents;
    this.#seed = listSeed(generation);
    this.#hasher = hasher;
    this.#emitList = emitList;
    const id = { section: SECTION.dictionary, indexSection: SECTION.dictionaryIndex, generation };
    this.blocks = new BlockWriter(id, hasher, (bytes) => this.#held.push(Buffer.from(bytes)));
  }

  add(trigram: Buffer, list: ArrayLike<number>): void {
    if (trigram.length === 0 || trigram.length > MAX_TRIGRAM_BYTES) throw new RangeError('a trigram has 1 to 255 bytes');
    if (this.trigrams > 0 && Buffer.compare(this.#last, trigram) >= 0) throw new RangeError('trigrams must come in order');
    const { open } = this.blocks;
    const shared = this.blocks.isFresh ? 0 : sharedPrefix(this.#last, trigram, MAX_TRIGRAM_BYTES);
    if (this.blocks.isFresh) open.u64(BigInt(this.#listOffset));
    this.blocks.begin(trigram);
    open.u8(shared);
    open.u8(trigram.length - shared);
    open.bytes(trigram.subarray(shared));
    open.varint(list.length);
    if (list.length <= INLINE_COUNT) writeDifferences(open, list);
    else this.#addList(list);
    this.#last = Buffer.from(trigram);
    this.trigrams += 1;
    if (this.blocks.isFull) this.blocks.flush();
  }

  /** The blocks, in order. */
  finish(): readonly Buffer[] {
    this.blocks.flush();
    return this.#held;
  }

  #addList(list: ArrayLike<number>): void {
    const { bytes, isBitmap } = encodeList(list, this.#documents);
    this.blocks.open.varint(bytes.length * 2 + (isBitmap ? 1 : 0));
    this.blocks.open.u32(this.#hasher.h32(bytes, this.#seed));
    this.#emitList(bytes);
    this.#listOffset += bytes.length;
  }
}

/** Lists are told apart by their place, which the dictionary names; the seed only binds them to their generation. */
function listSeed(generation: number): number {
  return generation % 2 ** 32;
}

export interface DictionaryPlace {
  readonly source: ByteSource;
  readonly blocks: Blocks;
  /** Where the lists begin, and how many bytes they have together. */
  readonly lists: { readonly offset: number; readonly length: number };
  readonly documents: number;
  readonly generation: number;
  readonly hasher: Hasher;
}

/**
 * What the segment knows of a trigram; `undefined` when no document of it has the trigram, which is certain: the block
 * that would hold it is whole.
 *
 * @throws CorruptSegment
 */
export function lookUp(place: DictionaryPlace, trigram: Uint8Array): Posting | undefined {
  const block = lastBlock(place.blocks.places, (first) => Buffer.compare(first, trigram) <= 0);
  if (block < 0) return undefined;
  for (const entry of entriesOf(place, block)) {
    const order = Buffer.compare(entry.trigram, trigram);
    if (order === 0) return entry.posting;
    if (order > 0) return undefined;
  }
  return undefined;
}

/** Everything that the dictionary holds, in order, for checks and merges. @throws CorruptSegment */
export function* everyPosting(place: DictionaryPlace): Generator<{ readonly trigram: Buffer; readonly posting: Posting }> {
  for (let block = 0; block < place.blocks.places.length; block += 1) yield* entriesOf(place, block);
}

function* entriesOf(place: DictionaryPlace, block: number): Generator<{ readonly trigram: Buffer; readonly posting: Posting }> {
  const reader = new ByteReader(place.blocks.read(block));
  let offset = Number(reader.u64());
  let last: Buffer = Buffer.alloc(0);
  while (!reader.ended) {
    const shared = reader.u8();
    if (shared > last.length) throw new CorruptSegment('a trigram shares more than there is');
    const trigram = Buffer.concat([last.subarray(0, shared), reader.bytes(reader.u8())]);
    const count = reader.varint();
    if (count <= INLINE_COUNT) {
      const list = readDifferences(reader, count, place.documents);
      yield { trigram, posting: { count, documents: () => list } };
    } else {
      const coded = reader.varint();
      const [length, isBitmap, checksum, at] = [Math.floor(coded / 2), coded % 2 === 1, reader.u32(), offset];
      offset += length;
      yield { trigram, posting: { count, documents: () => readList(place, { at, length, isBitmap, checksum, count }) } };
    }
    last = trigram;
  }
}

interface ListPlace {
  readonly at: number;
  readonly length: number;
  readonly isBitmap: boolean;
  readonly checksum: number;
  readonly count: number;
}

function readList({ source, lists, documents, generation, hasher }: DictionaryPlace, { at, length, isBitmap, checksum, count }: ListPlace): Uint32Array {
  if (at + length > lists.length) throw new CorruptSegment('a list lies outside of the lists');
  const bytes = source.read(lists.offset + at, length);
  if (bytes.length !== length || hasher.h32(bytes, listSeed(generation)) !== checksum) throw new CorruptSegment('a list does not have its checksum');
  return decodeList({ bytes, isBitmap }, count, documents);
}
