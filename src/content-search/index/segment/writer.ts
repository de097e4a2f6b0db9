import type { Hasher } from '../hash.ts';
import { CatalogWriter } from './catalog.ts';
import { DictionaryWriter } from './dictionary.ts';
import { type ByteSink, HEADER_BYTES, type SegmentDocument } from './format.ts';
import { encodeHeader } from './header.ts';

export interface SegmentContents {
  readonly generation: number;
  readonly keyHash: Buffer;
  /** In key order. */
  readonly documents: Iterable<SegmentDocument>;
  readonly documentCount: number;
  /** In byte order of the trigram, each with ascending numbers of documents. */
  readonly postings: Iterable<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }>;
}

/** Writes a segment; it is one when the header is written, which is the last thing. The caller makes it durable. */
export function writeSegment(to: ByteSink, contents: SegmentContents, hasher: Hasher): { readonly bytes: number } {
  const { generation, keyHash, documentCount } = contents;
  let listBytes = 0;
  to.append(Buffer.alloc(HEADER_BYTES));
  const dictionary = new DictionaryWriter({ documents: documentCount, generation }, hasher, (bytes) => {
    to.append(bytes);
    listBytes += bytes.length;
  });
  for (const { trigram, documents } of contents.postings) dictionary.add(trigram, documents);
  const catalog = new CatalogWriter(generation, hasher);
  for (const document of contents.documents) catalog.add(document);
  if (catalog.documents !== documentCount) throw new RangeError('there are not as many documents as was said');
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
