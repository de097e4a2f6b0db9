import type { Hasher } from '../hash.ts';
import { lastBlock, openBlocks } from './blocks.ts';
import { documentsOf } from './catalog.ts';
import { type DictionaryPlace, everyPosting, lookUp, type Posting } from './dictionary.ts';
import { type ByteSource, CATALOG_DOCUMENTS, CorruptSegment, SECTION, type SegmentDocument } from './format.ts';
import { readHeader } from './header.ts';

/** A segment that is open for reading. Its format: `format.ts`. All of it throws CorruptSegment for bytes that are not as written. */
export interface SegmentReader {
  readonly documentCount: number;
  readonly trigramCount: number;
  /** `undefined`: certainly in none of the documents. */
  lookUp(trigram: Uint8Array): Posting | undefined;
  document(id: number): SegmentDocument;
  /** In key order, from a number on. */
  documents(from?: number): Iterable<SegmentDocument>;
  /** All of the dictionary, in byte order. */
  postings(): Iterable<{ readonly trigram: Buffer; readonly posting: Posting }>;
  /** The number of the first document that does not come before `path`; as many as there are when all do. */
  firstNotBefore(path: Buffer): number;
}

export interface SegmentExpectation {
  readonly keyHash: Buffer;
  readonly generation: number;
  /** The order of the catalog: key order of paths, ties by their bytes. */
  readonly comparePaths: (a: Uint8Array, b: Uint8Array) => number;
}

/** @throws CorruptSegment */
export function openSegment(source: ByteSource, expected: SegmentExpectation, hasher: Hasher): SegmentReader {
  const header = readHeader(source, expected, hasher);
  const { generation, documents, lists } = header;
  const dictionaryBlocks = openBlocks(
    source,
    header.dictionary,
    header.dictionaryIndex,
    { section: SECTION.dictionary, indexSection: SECTION.dictionaryIndex, generation },
    hasher,
  );
  const catalog = openBlocks(source, header.catalog, header.catalogIndex, { section: SECTION.catalog, indexSection: SECTION.catalogIndex, generation }, hasher);
  if (catalog.places.length !== Math.ceil(documents / CATALOG_DOCUMENTS))
    throw new CorruptSegment('the catalog does not have as many blocks as documents need');
  const place: DictionaryPlace = { source, blocks: dictionaryBlocks, lists, documents, generation, hasher };

  function block(number: number): SegmentDocument[] {
    const inIt = documentsOf(catalog, number);
    const expectedCount = Math.min(CATALOG_DOCUMENTS, documents - number * CATALOG_DOCUMENTS);
    if (inIt.length !== expectedCount) throw new CorruptSegment('a block of the catalog does not have its documents');
    return inIt;
  }

  function* from(first: number): Generator<SegmentDocument> {
    for (let number = Math.floor(first / CATALOG_DOCUMENTS); number < catalog.places.length; number += 1) {
      yield* block(number).slice(Math.max(0, first - number * CATALOG_DOCUMENTS));
    }
  }

  return {
    documentCount: documents,
    trigramCount: header.trigrams,
    lookUp: (trigram) => lookUp(place, trigram),
    document(id) {
      const document = id >= 0 && id < documents ? block(Math.floor(id / CATALOG_DOCUMENTS))[id % CATALOG_DOCUMENTS] : undefined;
      if (document === undefined) throw new RangeError('there is no such document');
      return document;
    },
    documents: (first = 0) => from(first),
    postings: () => everyPosting(place),
    firstNotBefore(path) {
      const number = lastBlock(catalog.places, (first) => expected.comparePaths(first, path) < 0);
      if (number < 0) return 0;
      const within = block(number).findIndex((document) => expected.comparePaths(document.path, path) >= 0);
      return number * CATALOG_DOCUMENTS + (within < 0 ? Math.min(CATALOG_DOCUMENTS, documents - number * CATALOG_DOCUMENTS) : within);
    },
  };
}
