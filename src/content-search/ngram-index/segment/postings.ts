import { type ByteReader, ByteWriter } from './bytes.ts';
import { CorruptSegment } from './format.ts';
import { intersection } from './id-lists.ts';

/** An n-gram and its documents, as a segment is written from them. */
export interface SegmentPosting {
  /** The n-gram in UTF-8. */
  readonly trigram: Buffer;
  /** The number of documents; not 0. */
  readonly count: number;
  /** The last document. */
  readonly last: number;
  /** Numbers of the documents, ascending, as varint differences. */
  readonly differences: Buffer;
}

/** @param documents ascending; not none */
export function postingOf(trigram: Buffer, documents: ArrayLike<number>): SegmentPosting {
  const list = new ByteWriter(2 * documents.length);
  list.differences(documents);
  return { trigram, count: documents.length, last: documents[documents.length - 1] ?? 0, differences: list.view() };
}

/** A list of documents, as it lies in a segment. */
export interface EncodedList {
  readonly bytes: Buffer;
  readonly isBitmap: boolean;
}

/**
 * The list in the shorter of two forms: varint differences, or a bit for each document.
 *
 * @param documents the number of documents in the segment
 */
export function encodeList({ differences }: SegmentPosting, documents: number): EncodedList {
  const bitmapBytes = Math.ceil(documents / 8);
  return differences.length <= bitmapBytes ? { bytes: differences, isBitmap: false } : { bytes: bitmapOf(differences, bitmapBytes), isBitmap: true };
}

/** The bitmap of differences that `postingOf` made: nothing is checked. */
function bitmapOf(differences: Buffer, bytes: number): Buffer {
  const bitmap = Buffer.alloc(bytes);
  let id = -1;
  for (let at = 0; at < differences.length; at += 1) {
    let byte = differences[at] ?? 0;
    let difference = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      at += 1;
      byte = differences[at] ?? 0;
      difference += (byte & 0x7f) * scale;
    }
    id += difference + 1;
    bitmap[id >> 3] = (bitmap[id >> 3] ?? 0) | (1 << (id & 7));
  }
  return bitmap;
}

/** @throws CorruptSegment when it is not `count` ascending numbers below `documents` */
export function readDifferences(from: ByteReader, count: number, documents: number): Uint32Array {
  if (count > documents) throw new CorruptSegment('a list is longer than there are documents');
  const list = from.differences(count, documents);
  if (list === undefined) throw new CorruptSegment('a list names a document that is not there');
  return list;
}

/** @throws CorruptSegment when the list is not what its entry says */
export function decodeList({ bytes, isBitmap }: EncodedList, count: number, documents: number): Uint32Array {
  return isBitmap ? decodeBitmap(bytes, count, documents) : decodeDifferences(bytes, count, documents);
}

/** Does what `readDifferences` does, without a call for each number: a search decodes hundreds of thousands of them. */
function decodeDifferences(bytes: Buffer, count: number, documents: number): Uint32Array {
  if (count > documents || count > bytes.length) throw new CorruptSegment('a list is longer than there are documents');
  const list = new Uint32Array(count);
  let [last, at] = [-1, 0];
  for (let i = 0; i < count; i += 1) {
    let byte = bytes[at++] ?? 0;
    let difference = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80 && at < bytes.length && scale < 2 ** 49; scale *= 0x80) {
      byte = bytes[at++] ?? 0;
      difference += (byte & 0x7f) * scale;
    }
    last += difference + 1;
    if (last >= documents) throw new CorruptSegment('a list names a document that is not there');
    list[i] = last;
  }
  if (at !== bytes.length) throw new CorruptSegment('a list is not as long as its entry says');
  return list;
}

/** The numbers of `ids` that are in the list. @throws CorruptSegment when the list is not what its entry says */
export function amongList(ids: Uint32Array, { bytes, isBitmap }: EncodedList, count: number, documents: number): Uint32Array {
  if (!isBitmap) return intersection(ids, decodeDifferences(bytes, count, documents));
  if (bytes.length !== Math.ceil(documents / 8)) throw new CorruptSegment('a bitmap does not have a bit for each document');
  return ids.filter((id) => ((bytes[id >> 3] ?? 0) & (1 << (id & 7))) !== 0);
}

function decodeBitmap(bytes: Buffer, count: number, documents: number): Uint32Array {
  if (bytes.length !== Math.ceil(documents / 8) || count > documents) throw new CorruptSegment('a bitmap does not have a bit for each document');
  const list = new Uint32Array(count);
  let found = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let bits = bytes[at] ?? 0;
    while (bits !== 0) {
      const id = at * 8 + 31 - Math.clz32(bits & -bits);
      if (found === count || id >= documents) throw new CorruptSegment('a bitmap names other documents than its entry says');
      list[found] = id;
      found += 1;
      bits &= bits - 1;
    }
  }
  if (found !== count) throw new CorruptSegment('a bitmap names other documents than its entry says');
  return list;
}
