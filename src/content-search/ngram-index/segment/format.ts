import type { SegmentName } from '../../../core/ports/index.ts';

/**
 * A segment: what the index knows of a set of files, in one file that is never changed after it is whole.
 * All numbers are little-endian; `varint` is unsigned LEB128. Documents are numbered in key order from 0.
 *
 * ```
 * 0        header      HEADER_BYTES: magic, version, generation, SHA-256 of the index key, counts, offsets of the
 *                      sections; the last 8 bytes of it are XXH64 of those before. Written last: a segment without it is none.
 * then     postings    for each trigram with more than INLINE_COUNT documents, in the order of the dictionary, its list:
 *                      the numbers as varint differences, or a bitmap of all documents, whichever is shorter
 *          dictionary  blocks; entries in byte order of the trigram (UTF-8 of its code points):
 *                        u8 bytes shared with the trigram before, u8 further bytes, the bytes,
 *                        varint count, then up to INLINE_COUNT numbers as varint differences in place of a list,
 *                        or varint (bytes of the list * 2 + 1 if it is a bitmap) and u32 XXH32 of the list
 *                      a block begins with u64 offset of its first list, and ends with its checksum
 *          catalog     blocks; entries in key order: varint bytes shared with the path before, varint further bytes, the
 *                      bytes (as the file system has them), varint size, u64 mtime and u64 ctime in nanoseconds,
 *                      varint inode, varint device, u8 flags; each block but the last holds CATALOG_DOCUMENTS
 *          indexes     of dictionary and of catalog: varint number of blocks, and for each block varint bytes of its first
 *                      key, the key, varint offset from the begin of the section, varint bytes; then a checksum each
 * ```
 * A checksum is XXH64 of the bytes before it, seeded with what it stands for (section and number of the block, and the
 * generation), so that blocks that were exchanged do not pass for each other. Nothing is believed before it is checked: that
 * a trigram is absent is only known from a block that holds its neighbours (search-rules 4).
 */
export const MAGIC = 0x31_47_45_53_54_49_52_57n; // "WRITSEG1"
export const FORMAT_VERSION = 1;
export const HEADER_BYTES = 160;
/** The size at which a block ends: with the entry that reaches it. */
export const BLOCK_BYTES = 4096;
/** Documents of a block of the catalog: which block holds a document is plain arithmetic. */
export const CATALOG_DOCUMENTS = 64;
/** Lists of at most so many documents stand in the dictionary itself: most trigrams are rare, and a list of its own would cost more than it holds. */
export const INLINE_COUNT = 3;
/** The longest key of a dictionary: three code points with four bytes each, for k = 3; other k have room. */
export const MAX_TRIGRAM_BYTES = 255;

export const SECTION = { header: 1, dictionary: 2, catalog: 3, dictionaryIndex: 4, catalogIndex: 5 } as const satisfies Record<string, number>;

/** The seed of a checksum: 64 bits of what it stands for. */
export function seedOf(section: number, block: number, generation: number): bigint {
  return (BigInt(section) << 56n) ^ (BigInt(block) << 24n) ^ BigInt(generation);
}

/** The seed of the checksum of a list: its generation. Lists within one generation are told apart by their offset, which the dictionary has. */
export function listSeed(generation: number): number {
  return generation % 2 ** 32;
}

export type { ByteSink, ByteSource } from '../../../core/ports/index.ts';

/** Bytes of a segment that are not what was written. A search then answers without the index, and reports it (FR-LSI-SAFE-02, NFR-LSI-COR-02). */
export class CorruptSegment extends Error {
  override readonly name = 'CorruptSegment';
}

/** A file as it was when its contents were taken. */
export interface SegmentDocument {
  /** Path relative to the index root, the bytes of the file system. */
  readonly path: Buffer;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  /** Bits of `DOCUMENT_FLAG`. */
  readonly flags: number;
}

/** Flags of a document. */
export const DOCUMENT_FLAG = {
  /** A candidate of every search: its n-grams do not tell what a backend would find (`gate.ts`), or it can change unseen. */
  always: 1,
  /** A path of a delta that is no longer there: it only hides what earlier segments have. */
  gone: 2,
  /** A file changed so shortly before it was read that its times cannot tell a later change: a pass reads it again. */
  racy: 4,
  /** A file that could not be opened. */
  unreadable: 8,
} as const satisfies Record<string, number>;

/**
 * Keys of the dictionary that are no n-grams (no UTF-8 begins with these bytes): which documents are `always`, and which are
 * `gone`. They come behind all n-grams, and stand there only if they have documents. The writer makes them of the flags.
 */
export const SPECIAL_LIST = { gone: Buffer.from([0xfe]), always: Buffer.from([0xff]) } as const satisfies Record<string, Buffer>;

/** Whether a key of the dictionary is no n-gram. */
export function isSpecial(key: Uint8Array): boolean {
  return (key[0] ?? 0) >= FIRST_SPECIAL;
}
const FIRST_SPECIAL = 0xfe;

/** The number that stands in a segment for its name: base and deltas of all generations have different ones. */
export function segmentNumber({ generation, delta }: SegmentName): number {
  return generation * MAX_DELTAS + delta;
}
const MAX_DELTAS = 65_536;
