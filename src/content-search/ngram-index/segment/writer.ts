import type { Hasher } from '../tokenize/hash.ts';
import type { CatalogWriter } from './catalog.ts';
import { DictionaryWriter } from './dictionary.ts';
import { type ByteSink, HEADER_BYTES, isSpecial } from './format.ts';
import { encodeHeader } from './header.ts';
import type { SegmentPosting } from './postings.ts';

export interface SegmentContents {
  readonly generation: number;
  readonly keyHash: Buffer;
  /** The catalog of all documents. */
  readonly catalog: CatalogWriter;
  /** Postings in byte order of the trigram, with the numbers of the catalog, without the special lists. Each is valid until the next. */
  readonly postings: Iterable<SegmentPosting>;
}

/** Writes a segment. The header is written last: a file without it is no segment. The caller makes it durable. */
export function writeSegment(to: ByteSink, { generation, keyHash, catalog, postings }: SegmentContents, hasher: Hasher): { readonly bytes: number } {
  const documentCount = catalog.documents;
  let listBytes = 0;
  to.append(Buffer.alloc(HEADER_BYTES));
  const dictionary = new DictionaryWriter({ documents: documentCount, generation }, hasher, (bytes) => {
    to.append(bytes);
    listBytes += bytes.length;
  });
  for (const posting of postings) {
    if (isSpecial(posting.trigram)) throw new RangeError('special lists are made of the flags');
    dictionary.add(posting);
  }
  for (const posting of catalog.special()) dictionary.add(posting);
  const sections = [dictionary.finish(), catalog.finish(), [dictionary.blocks.index()], [catalog.blocks.index()]] as const;
  for (const section of sections) for (const bytes of section) to.append(bytes);
  let offset = HEADER_BYTES;
  const [lists, dictionaryPlace, catalogPlace, dictionaryIndex, catalogIndex] = [listBytes, ...sections.map(bytesOf)].map((length) => {
    const place = { offset, length };
    offset += length;
    return place;
  });
  if (!lists || !dictionaryPlace || !catalogPlace || !dictionaryIndex || !catalogIndex) throw new RangeError('a segment has five sections');
  const header = {
    generation,
    keyHash,
    documents: documentCount,
    trigrams: dictionary.trigrams,
    lists,
    dictionary: dictionaryPlace,
    catalog: catalogPlace,
    dictionaryIndex,
    catalogIndex,
  };
  to.writeHeader(encodeHeader(header, hasher));
  return { bytes: offset };
}

function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((total, { length }) => total + length, 0);
}
