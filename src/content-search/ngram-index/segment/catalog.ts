import type { BytePath } from '../../../core/ports/index.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { type Blocks, BlockWriter } from './blocks.ts';
import { ByteReader, HeldBytes, sharedPrefix } from './bytes.ts';
import { CATALOG_DOCUMENTS, CorruptSegment, DOCUMENT_FLAG, SECTION, type SegmentDocument, SPECIAL_LIST } from './format.ts';
import { postingOf, type SegmentPosting } from './postings.ts';

type SpecialName = keyof typeof SPECIAL_LIST;
/** Names of the special lists, in byte order of their keys. */
const SPECIAL_NAMES = ['gone', 'always'] as const satisfies readonly SpecialName[];

/** Writes the documents of a segment, which must come in key order; their numbers are their places in it. */
export class CatalogWriter {
  readonly blocks: BlockWriter;
  documents = 0;
  readonly #held = new HeldBytes();
  readonly #special: Readonly<Record<SpecialName, number[]>> = { gone: [], always: [] };
  #last: Buffer = Buffer.alloc(0);

  constructor(generation: number, hasher: Hasher) {
    const id = { section: SECTION.catalog, indexSection: SECTION.catalogIndex, generation };
    this.blocks = new BlockWriter(id, hasher, (bytes) => this.#held.append(bytes));
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
    for (const name of SPECIAL_NAMES) if ((flags & DOCUMENT_FLAG[name]) !== 0) this.#special[name].push(this.documents);
    this.#last = Buffer.from(path);
    this.documents += 1;
    if (this.documents % CATALOG_DOCUMENTS === 0) this.blocks.flush();
    return this.documents - 1;
  }

  /** The special lists that have documents, in byte order of their keys. */
  special(): readonly SegmentPosting[] {
    return SPECIAL_NAMES.filter((name) => this.#special[name].length > 0).map((name) => postingOf(SPECIAL_LIST[name], this.#special[name]));
  }

  /** The blocks, in order. */
  finish(): readonly Buffer[] {
    this.blocks.flush();
    return this.#held.parts();
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
  const most = wanted === undefined ? CATALOG_DOCUMENTS : wanted.length;
  let path: Buffer = scratch;
  let [at, length, document] = [0, 0, 0];
  // Numbers are decoded inline, without calls or objects: a common pattern runs this for every document of the index.
  while (at < bytes.length && paths.length < most) {
    let shared = bytes[at++] ?? 0;
    let further = shared < LONG ? (bytes[at++] ?? 0) : LONG;
    if (further >= LONG) {
      const reader = new ByteReader(bytes, at - (shared < LONG ? 2 : 1));
      [shared, further, at] = [reader.varint(), reader.varint(), reader.at];
    }
    if (shared > length || at + further > bytes.length) throw new CorruptSegment('a path shares more than there is');
    length = shared + further;
    if (length > path.length) path = Buffer.concat([path], 2 * length);
    for (let to = shared; to < length; to += 1) path[to] = bytes[at++] ?? 0;
    while ((bytes[at++] ?? 0) >= LONG);
    at += TIMES_BYTES;
    while ((bytes[at++] ?? 0) >= LONG);
    while ((bytes[at++] ?? 0) >= LONG);
    at += FLAGS_BYTES;
    if (wanted === undefined || wanted[paths.length] === document) paths.push(path.toString('latin1', 0, length));
    document += 1;
  }
  if (at > bytes.length || (wanted === undefined ? at < bytes.length : paths.length < most))
    throw new CorruptSegment('a block of the catalog does not have its documents');
  return paths;
}

/** Bytes from this value on are not the last of their number. */
const LONG = 0x80;
const FLAGS_BYTES = 1;
/** A buffer for paths; paths longer than the system opens are allocated on their own. */
const scratch = Buffer.alloc(4096);
/** Bytes of mtime and ctime. */
const TIMES_BYTES = 16;

/** The documents of one block, in order. @throws CorruptSegment */
export function documentsOf(blocks: Blocks, block: number): SegmentDocument[] {
  const reader = new ByteReader(blocks.read(block));
  const documents: SegmentDocument[] = [];
  let last: Buffer = Buffer.alloc(0);
  while (!reader.ended) {
    const shared = reader.varint();
    if (shared > last.length) throw new CorruptSegment('a path shares more than there is');
    const rest = reader.bytes(reader.varint());
    const path = Buffer.allocUnsafe(shared + rest.length);
    last.copy(path, 0, 0, shared);
    rest.copy(path, shared);
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
