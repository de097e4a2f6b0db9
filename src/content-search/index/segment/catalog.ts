import type { BytePath } from '../../../core/ports/index.ts';
import type { Hasher } from '../hash.ts';
import { type Blocks, BlockWriter } from './blocks.ts';
import { ByteReader, sharedPrefix } from './bytes.ts';
import { CATALOG_DOCUMENTS, CorruptSegment, SECTION, type SegmentDocument } from './format.ts';

/** Writes the documents of a segment, which must come in key order; their numbers are their places in it. */
export class CatalogWriter {
  readonly blocks: BlockWriter;
  documents = 0;
  readonly #held: Buffer[] = [];
  #last: Buffer = Buffer.alloc(0);

  constructor(generation: number, hasher: Hasher) {
    const id = { section: SECTION.catalog, indexSection: SECTION.catalogIndex, generation };
    this.blocks = new BlockWriter(id, hasher, (bytes) => this.#held.push(Buffer.from(bytes)));
  }

  /** @returns the number of the document */
  add({ path, size, mtimeNs, ctimeNs, ino, dev, flags }: SegmentDocument): number {
    const { open } = this.blocks;
    const shared = this.blocks.isFresh ? 0 : sharedPrefix(this.#last, path);
    this.blocks.begin(path);
    open.varint(shared);
    open.varint(path.length - shared);
    open.bytes(path.subarray(shared));
    open.varint(size);
    open.u64(mtimeNs);
    open.u64(ctimeNs);
    open.bigVarint(ino);
    open.bigVarint(dev);
    open.u8(flags);
    this.#last = Buffer.from(path);
    this.documents += 1;
    if (this.documents % CATALOG_DOCUMENTS === 0) this.blocks.flush();
    return this.documents - 1;
  }

  /** The blocks, in order. */
  finish(): readonly Buffer[] {
    this.blocks.flush();
    return this.#held;
  }
}

/**
 * The paths of one block, in order, without what else is known of their documents.
 *
 * @param wanted the places within the block that are asked for, ascending; all without
 * @throws CorruptSegment
 */
export function pathsIn(bytes: Buffer, wanted?: ArrayLike<number>): BytePath[] {
  const paths: BytePath[] = [];
  let path: Buffer = Buffer.allocUnsafe(4096);
  let [at, length, document, next] = [0, 0, 0, 0];
  const varint = (): number => {
    const low = bytes[at] ?? 0;
    if (low < 0x80) {
      at += 1;
      return low;
    }
    const reader = new ByteReader(bytes, at);
    const value = reader.varint();
    at = reader.at;
    return value;
  };
  const skipVarint = (): void => {
    while ((bytes[at] ?? 0) >= 0x80) at += 1;
    at += 1;
  };
  while (at < bytes.length && (wanted === undefined || next < wanted.length)) {
    const [shared, further] = [varint(), varint()];
    if (shared > length || at + further > bytes.length) throw new CorruptSegment('a path shares more than there is');
    length = shared + further;
    if (length > path.length) path = Buffer.concat([path], 2 * length);
    path.set(bytes.subarray(at, at + further), shared);
    at += further;
    skipVarint();
    at += TIMES_BYTES;
    skipVarint();
    skipVarint();
    at += 1;
    if (wanted === undefined || wanted[next] === document) {
      paths.push(path.latin1Slice(0, length));
      next += 1;
    }
    document += 1;
  }
  if (at > bytes.length || document > CATALOG_DOCUMENTS || (wanted !== undefined && next < wanted.length))
    throw new CorruptSegment('a block of the catalog does not have its documents');
  return paths;
}

/** mtime and ctime. */
const TIMES_BYTES = 16;

/** The documents of one block, in order. @throws CorruptSegment */
export function documentsOf(blocks: Blocks, block: number): SegmentDocument[] {
  const reader = new ByteReader(blocks.read(block));
  const documents: SegmentDocument[] = [];
  let last: Buffer = Buffer.alloc(0);
  while (!reader.ended) {
    const shared = reader.varint();
    if (shared > last.length) throw new CorruptSegment('a path shares more than there is');
    const path = Buffer.concat([last.subarray(0, shared), reader.bytes(reader.varint())]);
    documents.push({
      path,
      size: reader.varint(),
      mtimeNs: BigInt.asIntN(64, reader.u64()),
      ctimeNs: BigInt.asIntN(64, reader.u64()),
      ino: reader.bigVarint(),
      dev: reader.bigVarint(),
      flags: reader.u8(),
    });
    last = path;
  }
  if (documents.length === 0 || documents.length > CATALOG_DOCUMENTS) throw new CorruptSegment('a block of the catalog has no or too many documents');
  return documents;
}
