import type { Hasher } from '../tokenize/hash.ts';
import { CHECKSUM_BYTES, type SectionLocation, sealed, unsealed } from './blocks.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { type ByteSource, CorruptSegment, FORMAT_VERSION, HEADER_BYTES, MAGIC, SECTION, seedOf } from './format.ts';

export interface SegmentHeader {
  readonly generation: number;
  /** SHA-256 of the index key: a segment of another index is none. */
  readonly keyHash: Buffer;
  readonly documents: number;
  readonly trigrams: number;
  readonly lists: SectionLocation;
  readonly dictionary: SectionLocation;
  readonly catalog: SectionLocation;
  readonly dictionaryIndex: SectionLocation;
  readonly catalogIndex: SectionLocation;
}

const KEY_HASH_BYTES = 32;
const SECTIONS = ['lists', 'dictionary', 'catalog', 'dictionaryIndex', 'catalogIndex'] as const satisfies readonly (keyof SegmentHeader)[];

export function encodeHeader(header: SegmentHeader, hasher: Hasher): Buffer {
  const out = new ByteWriter(HEADER_BYTES);
  out.u64(MAGIC);
  out.u32(FORMAT_VERSION);
  out.u64(BigInt(header.generation));
  out.bytes(header.keyHash);
  out.u32(header.documents);
  out.u32(header.trigrams);
  // Sections follow each other, so their lengths give their offsets.
  for (const name of SECTIONS) out.u64(BigInt(header[name].length));
  while (out.length < HEADER_BYTES - CHECKSUM_BYTES) out.u8(0);
  return sealed(out.view(), seedOf(SECTION.header, 0, 0), hasher);
}

/** @throws CorruptSegment when the source is not a whole segment of this index and generation */
export function readHeader(source: ByteSource, expected: { readonly keyHash: Buffer; readonly generation: number }, hasher: Hasher): SegmentHeader {
  const whole = source.read(0, HEADER_BYTES);
  if (whole.length !== HEADER_BYTES) throw new CorruptSegment('the segment has no header');
  const reader = new ByteReader(unsealed(whole, seedOf(SECTION.header, 0, 0), hasher, 'the header'));
  if (reader.u64() !== MAGIC || reader.u32() !== FORMAT_VERSION) throw new CorruptSegment('the segment has another format');
  const generation = Number(reader.u64());
  const keyHash = Buffer.from(reader.bytes(KEY_HASH_BYTES));
  if (generation !== expected.generation || !keyHash.equals(expected.keyHash)) throw new CorruptSegment('the segment belongs to another index');
  const [documents, trigrams] = [reader.u32(), reader.u32()];
  let offset = HEADER_BYTES;
  const next = (): SectionLocation => {
    const place = { offset, length: Number(reader.u64()) };
    offset += place.length;
    return place;
  };
  const header = {
    generation,
    keyHash,
    documents,
    trigrams,
    lists: next(),
    dictionary: next(),
    catalog: next(),
    dictionaryIndex: next(),
    catalogIndex: next(),
  };
  if (offset !== source.size) throw new CorruptSegment('the segment does not have its size');
  return header;
}
