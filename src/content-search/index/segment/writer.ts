import type { Hasher } from '../hash.ts';
import { CatalogWriter } from './catalog.ts';
import { DictionaryWriter } from './dictionary.ts';
import { type ByteSink, DOCUMENT_FLAG, HEADER_BYTES, isSpecial, type SegmentDocument, SPECIAL_LIST } from './format.ts';
import { encodeHeader } from './header.ts';

export interface SegmentContents {
  readonly generation: number;
  readonly keyHash: Buffer;
  /** In key order. Gone through before the postings. */
  readonly documents: Iterable<SegmentDocument>;
  readonly documentCount: number;
  /** In byte order of the trigram, each with ascending numbers of documents; without the special lists. */
  readonly postings: Iterable<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }>;
}

/** Writes a segment; it is one when the header is written, which is the last thing. The caller makes it durable. */
export function writeSegment(to: ByteSink, contents: SegmentContents, hasher: Hasher): { readonly bytes: number } {
  const { generation, keyHash, documentCount } = contents;
  const catalog = new CatalogWriter(generation, hasher);
  const special: Record<keyof typeof SPECIAL_LIST, number[]> = { gone: [], always: [] };
  for (const document of contents.documents) {
    const id = catalog.add(document);
    for (const name of SPECIAL_NAMES) if ((document.flags & DOCUMENT_FLAG[name]) !== 0) special[name].push(id);
  }
  if (catalog.documents !== documentCount) throw new RangeError('there are not as many documents as was said');
  let listBytes = 0;
  to.append(Buffer.alloc(HEADER_BYTES));
  const dictionary = new DictionaryWriter({ documents: documentCount, generation }, hasher, (bytes) => {
    to.append(bytes);
    listBytes += bytes.length;
  });
  for (const { trigram, documents } of contents.postings) {
    if (isSpecial(trigram)) throw new RangeError('special lists are made of the flags');
    dictionary.add(trigram, documents);
  }
  for (const name of SPECIAL_NAMES) if (special[name].length > 0) dictionary.add(SPECIAL_LIST[name], special[name]);
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

/** In byte order of their keys. */
const SPECIAL_NAMES = ['gone', 'always'] as const satisfies readonly (keyof typeof SPECIAL_LIST)[];

function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((total, { length }) => total + length, 0);
}
