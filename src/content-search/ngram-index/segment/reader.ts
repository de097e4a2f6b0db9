import type { BytePath } from '../../../core/ports/index.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { type Blocks, lastBlock, openBlocks, remembering } from './blocks.ts';
import { documentsOf, pathsIn } from './catalog.ts';
import { type DictionaryLocation, everyPosting, lookUp, type Posting } from './dictionary-reader.ts';
import { type ByteSource, CATALOG_DOCUMENTS, CorruptSegment, SECTION, type SegmentDocument } from './format.ts';
import { readHeader } from './header.ts';
import { pathBytes } from './path-order.ts';

/** A segment that is open for reading; `format.ts` has its format. Every method throws CorruptSegment for bytes that are not what was written. */
export interface SegmentReader {
  readonly documentCount: number;
  /** The number of entries of the dictionary, special lists included. */
  readonly trigramCount: number;
  /** Finds a trigram or a `SPECIAL_LIST`; `undefined`: certainly in none of the documents. */
  lookUp(trigram: Uint8Array): Posting | undefined;
  document(id: number): SegmentDocument;
  /** The documents in key order, from a number on. */
  documents(from?: number): Iterable<SegmentDocument>;
  /** The paths of documents. @param ids ascending */
  paths(ids: Uint32Array): BytePath[];
  /** All paths, in key order. */
  everyPath(): Iterable<BytePath>;
  /** The numbers of paths, -1 for one that is not there. @param paths in key order; in another order each path reads a block */
  find(paths: readonly BytePath[]): Int32Array;
  /** All postings of the dictionary, in byte order. */
  postings(): Iterable<{ readonly trigram: Buffer; readonly posting: Posting }>;
  /** The number of the first document that does not come before `path`; `documentCount` when all do. */
  firstNotBefore(path: Buffer): number;
}

export interface SegmentExpectation {
  readonly keyHash: Buffer;
  readonly generation: number;
  /** The order of the catalog: key order of paths, ties by their bytes. */
  readonly comparePaths: (a: Uint8Array, b: Uint8Array) => number;
}

/** Blocks of the dictionary in the cache, 1 MiB: enough for the trigrams of a long pattern with all variants of case. */
const REMEMBERED_BLOCKS = 256;

/** @throws CorruptSegment */
export function openSegment(source: ByteSource, expected: SegmentExpectation, hasher: Hasher): SegmentReader {
  const { comparePaths } = expected;
  const header = readHeader(source, expected, hasher);
  const { generation, documents, lists } = header;
  const blocksOf = (section: 'dictionary' | 'catalog', indexSection: 'dictionaryIndex' | 'catalogIndex'): Blocks =>
    openBlocks(source, header[section], header[indexSection], { section: SECTION[section], indexSection: SECTION[indexSection], generation }, hasher);
  const catalog = blocksOf('catalog', 'catalogIndex');
  if (catalog.places.length !== Math.ceil(documents / CATALOG_DOCUMENTS))
    throw new CorruptSegment('the catalog does not have as many blocks as documents need');
  const blocks = remembering(blocksOf('dictionary', 'dictionaryIndex'), REMEMBERED_BLOCKS);
  const place: DictionaryLocation = { source, blocks, lists, documents, generation, hasher };

  const sizeOf = (block: number): number => Math.min(CATALOG_DOCUMENTS, documents - block * CATALOG_DOCUMENTS);

  function complete<T>(block: number, inIt: T[]): T[] {
    if (inIt.length !== sizeOf(block)) throw new CorruptSegment('a block of the catalog does not have its documents');
    return inIt;
  }
  function documentsAt(block: number): SegmentDocument[] {
    const inIt = complete(block, documentsOf(catalog, block));
    if (catalog.places[block]?.firstKey.equals(inIt[0]?.path ?? NOTHING) !== true)
      throw new CorruptSegment('a block of the catalog does not begin with its key');
    return inIt;
  }
  const pathsAt = (block: number): BytePath[] => complete(block, pathsIn(catalog.read(block)));

  function* from(first: number): Generator<SegmentDocument> {
    for (let block = Math.floor(first / CATALOG_DOCUMENTS); block < catalog.places.length; block += 1) {
      yield* documentsAt(block).slice(Math.max(0, first - block * CATALOG_DOCUMENTS));
    }
  }

  function* everyPath(): Generator<BytePath> {
    for (let block = 0; block < catalog.places.length; block += 1) yield* pathsAt(block);
  }

  return {
    documentCount: documents,
    trigramCount: header.trigrams,
    lookUp: (trigram) => lookUp(place, trigram),
    document(id) {
      const document = id >= 0 && id < documents ? documentsAt(Math.floor(id / CATALOG_DOCUMENTS))[id % CATALOG_DOCUMENTS] : undefined;
      if (document === undefined) throw new RangeError('there is no such document');
      return document;
    },
    documents: (first = 0) => from(first),
    paths: (ids) => pathsOf(catalog, ids),
    everyPath,
    find(paths) {
      const found = new Int32Array(paths.length).fill(-1);
      let [inBlock, known] = [new Map<BytePath, number>(), -1];
      for (const [at, path] of paths.entries()) {
        const bytes = pathBytes(path);
        const block = lastBlock(catalog.places, (first) => comparePaths(first, bytes) <= 0);
        if (block < 0) continue;
        if (block !== known) inBlock = new Map(pathsAt(block).map((each, within) => [each, within]));
        known = block;
        const within = inBlock.get(path);
        if (within !== undefined) found[at] = block * CATALOG_DOCUMENTS + within;
      }
      return found;
    },
    postings: () => everyPosting(place),
    firstNotBefore(path) {
      const block = lastBlock(catalog.places, (first) => comparePaths(first, path) < 0);
      if (block < 0) return 0;
      const within = pathsAt(block).findIndex((each) => comparePaths(pathBytes(each), path) >= 0);
      return block * CATALOG_DOCUMENTS + (within < 0 ? sizeOf(block) : within);
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** Blocks that are read at once at most; a few of them may not be needed. */
const BLOCKS_AT_ONCE = 32;

/** Paths of many documents: a common pattern has documents in nearly all blocks, so blocks are read many at a time, each once. */
function pathsOf(catalog: Blocks, ids: Uint32Array): BytePath[] {
  const paths: BytePath[] = [];
  let at = 0;
  while (at < ids.length) {
    const first = Math.floor((ids[at] ?? 0) / CATALOG_DOCUMENTS);
    const end = endOfRun(ids, at, first);
    const last = Math.floor((ids[end - 1] ?? 0) / CATALOG_DOCUMENTS);
    for (const [index, bytes] of catalog.readMany(first, last - first + 1).entries()) {
      const base = (first + index) * CATALOG_DOCUMENTS;
      let until = at;
      while (until < end && (ids[until] ?? 0) < base + CATALOG_DOCUMENTS) until += 1;
      if (until > at)
        for (const path of pathsIn(
          bytes,
          ids.subarray(at, until).map((id) => id - base),
        ))
          paths.push(path);
      at = until;
    }
  }
  return paths;
}

/** The end of the run of documents that are read together with the one at `at`: each block of the run follows the one before, or the next. */
function endOfRun(ids: Uint32Array, at: number, first: number): number {
  let [end, block] = [at, first];
  while (end < ids.length) {
    const next = Math.floor((ids[end] ?? 0) / CATALOG_DOCUMENTS);
    if (next > block + 2 || next >= first + BLOCKS_AT_ONCE) break;
    block = next;
    end += 1;
  }
  return end;
}
