import createXxHash from 'xxhash-wasm';
import { ByteReader } from '../../../src/content-search/ngram-index/segment/bytes.ts';
import { CatalogWriter } from '../../../src/content-search/ngram-index/segment/catalog.ts';
import type { ByteSource, SegmentDocument } from '../../../src/content-search/ngram-index/segment/format.ts';
import { postingOf, readDifferences, type SegmentPosting } from '../../../src/content-search/ngram-index/segment/postings.ts';
import type { SegmentReader } from '../../../src/content-search/ngram-index/segment/reader.ts';
import { writeSegment } from '../../../src/content-search/ngram-index/segment/writer.ts';
import type { Hasher } from '../../../src/content-search/ngram-index/tokenize/hash.ts';

const xxhash = await createXxHash();

export const hasher: Hasher = {
  h64: (bytes, seed) => xxhash.h64Raw(bytes, seed),
  h32: (bytes, seed) => xxhash.h32Raw(bytes, seed),
};

export const KEY_HASH = Buffer.alloc(32, 7);
export const GENERATION = 3;
export const EXPECTED = { keyHash: KEY_HASH, generation: GENERATION, comparePaths: Buffer.compare };

/** The catalog of a segment. */
export function catalogOf(generation: number, documents: readonly SegmentDocument[]): CatalogWriter {
  const catalog = new CatalogWriter(generation, hasher);
  for (const document of documents) catalog.add(document);
  return catalog;
}

/** Documents of a posting. */
export function documentsOf({ differences, count }: SegmentPosting): readonly number[] {
  return Array.from(readDifferences(new ByteReader(differences), count, 2 ** 32));
}

/** What goes into a segment, as plain data. */
export interface SegmentModel {
  readonly documents: readonly SegmentDocument[];
  /** By hexadecimal trigram. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
}

export function written({ documents, postings }: SegmentModel): Buffer {
  const parts: Buffer[] = [];
  let header: Buffer | undefined;
  writeSegment(
    { append: (bytes) => parts.push(Buffer.from(bytes)), writeHeader: (bytes) => (header = Buffer.from(bytes)) },
    {
      generation: GENERATION,
      keyHash: KEY_HASH,
      catalog: catalogOf(GENERATION, documents),
      postings: [...postings].sort(([a], [b]) => (a < b ? -1 : 1)).map(([trigram, list]) => postingOf(Buffer.from(trigram, 'hex'), list)),
    },
    hasher,
  );
  const whole = Buffer.concat(parts);
  header?.copy(whole);
  return whole;
}

export function sourceOf(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (offset, length) => Buffer.from(bytes.subarray(offset, offset + length)) };
}

/** Everything that a reader can tell, as the model of it; special lists are told by the flags. */
export function readAll(reader: SegmentReader): SegmentModel {
  return {
    documents: [...reader.documents()],
    postings: new Map(
      [...reader.postings()].map(({ trigram, posting }) => [trigram.toString('hex'), [...posting.documents()]] as const).filter(([hex]) => hex < 'fe'),
    ),
  };
}
