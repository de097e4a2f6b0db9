import type { Hasher } from '../tokenize/hash.ts';
import { type Blocks, lastBlock } from './blocks.ts';
import { ByteReader } from './bytes.ts';
import { type ByteSource, CorruptSegment, INLINE_COUNT, listSeed } from './format.ts';
import { amongList, decodeList, type EncodedList, readDifferences } from './postings.ts';

/** What a dictionary knows of a trigram: how many documents have it, and how to get them. */
export interface Posting {
  readonly count: number;
  /** Ascending numbers of documents. @throws CorruptSegment */
  documents(): Uint32Array;
  /** The numbers of `ids` that the trigram has, too; cheaper than reading the list. @throws CorruptSegment */
  among(ids: Uint32Array): Uint32Array;
}

export interface DictionaryLocation {
  readonly source: ByteSource;
  readonly blocks: Blocks;
  /** Where the lists begin, and how many bytes they have together. */
  readonly lists: { readonly offset: number; readonly length: number };
  readonly documents: number;
  readonly generation: number;
  readonly hasher: Hasher;
}

/**
 * What the segment knows of a trigram. `undefined` is certain: the block that would hold it was checked, so no document has
 * the trigram.
 *
 * @throws CorruptSegment
 */
export function lookUp(place: DictionaryLocation, trigram: Uint8Array): Posting | undefined {
  const block = lastBlock(place.blocks.places, (first) => Buffer.compare(first, trigram) <= 0);
  return block < 0 ? undefined : lookUpIn(place, place.blocks.read(block), trigram);
}

/**
 * Finds a trigram without building the key of each entry, because a search asks for hundreds of trigrams. `same` is the
 * number of bytes that the trigram shares with the entry before. An entry that shares more than that with the entry before
 * sorts before the trigram, as that one does; an entry that shares less sorts after it.
 */
function lookUpIn(place: DictionaryLocation, bytes: Buffer, trigram: Uint8Array): Posting | undefined {
  const reader = new ByteReader(bytes);
  let offset = Number(reader.u64());
  let [same, lastLength] = [0, 0];
  while (!reader.ended) {
    const shared = reader.u8();
    const length = reader.u8();
    // No view of the rest: a search passes over thousands of entries.
    const rest = reader.pass(length);
    if (shared > lastLength) throw new CorruptSegment('a trigram shares more than there is');
    if (shared < same) return undefined;
    lastLength = shared + length;
    if (shared === same) {
      const end = Math.min(shared + length, trigram.length);
      while (same < end && bytes[rest + same - shared] === trigram[same]) same += 1;
      const next = same - shared < length ? bytes[rest + same - shared] : undefined;
      const wanted = trigram[same];
      if (wanted === undefined && next === undefined) return readEntry(place, reader, offset).posting;
      if (wanted === undefined || (next !== undefined && next > wanted)) return undefined;
    }
    offset = skipEntry(reader, offset);
  }
  return undefined;
}

/** @returns where the next list begins */
function skipEntry(reader: ByteReader, offset: number): number {
  const count = reader.varint();
  if (count > INLINE_COUNT) {
    const length = Math.floor(reader.varint() / 2);
    reader.pass(4);
    return offset + length;
  }
  for (let i = 0; i < count; i += 1) reader.varint();
  return offset;
}

function readEntry(place: DictionaryLocation, reader: ByteReader, offset: number): { readonly posting: Posting; readonly next: number } {
  const count = reader.varint();
  if (count <= INLINE_COUNT) {
    const list = readDifferences(reader, count, place.documents);
    return { posting: { count, documents: () => list, among: (ids) => ids.filter((id) => list.includes(id)) }, next: offset };
  }
  const coded = reader.varint();
  const [length, isBitmap, checksum] = [Math.floor(coded / 2), coded % 2 === 1, reader.u32()];
  const read = (): EncodedList => readList(place, { at: offset, length, isBitmap, checksum });
  const posting: Posting = {
    count,
    documents: () => decodeList(read(), count, place.documents),
    among: (ids) => amongList(ids, read(), count, place.documents),
  };
  return { posting, next: offset + length };
}

/** All postings of the dictionary, in order, for checks and merges; checks also that each block is found by its first key. @throws CorruptSegment */
export function* everyPosting(place: DictionaryLocation): Generator<{ readonly trigram: Buffer; readonly posting: Posting }> {
  for (const [block, { firstKey }] of place.blocks.places.entries()) {
    let isFirst = true;
    for (const entry of entriesOf(place, block)) {
      if (isFirst && !entry.trigram.equals(firstKey)) throw new CorruptSegment('a block of the dictionary does not begin with its key');
      isFirst = false;
      yield entry;
    }
  }
}

function* entriesOf(place: DictionaryLocation, block: number): Generator<{ readonly trigram: Buffer; readonly posting: Posting }> {
  const reader = new ByteReader(place.blocks.read(block));
  let offset = Number(reader.u64());
  let last: Buffer = Buffer.alloc(0);
  while (!reader.ended) {
    const shared = reader.u8();
    if (shared > last.length) throw new CorruptSegment('a trigram shares more than there is');
    const trigram = Buffer.concat([last.subarray(0, shared), reader.bytes(reader.u8())]);
    const { posting, next } = readEntry(place, reader, offset);
    yield { trigram, posting };
    offset = next;
    last = trigram;
  }
}

interface ListPlace {
  readonly at: number;
  readonly length: number;
  readonly isBitmap: boolean;
  readonly checksum: number;
}

function readList({ source, lists, generation, hasher }: DictionaryLocation, { at, length, isBitmap, checksum }: ListPlace): EncodedList {
  if (at + length > lists.length) throw new CorruptSegment('a list lies outside of the lists');
  const bytes = source.read(lists.offset + at, length);
  if (bytes.length !== length || hasher.h32(bytes, listSeed(generation)) !== checksum) throw new CorruptSegment('a list does not have its checksum');
  return { bytes, isBitmap };
}
