import { ByteReader, ByteWriter } from '../segment/bytes.ts';
import { type ByteSource, CorruptSegment } from '../segment/format.ts';
import { readDifferences } from '../segment/postings.ts';

/** Where the sorted parts of an inversion lie until they are merged; they die with the build. */
export interface RunStore {
  /** Keeps the parts of a run in this order. */
  write(run: number, parts: Iterable<Uint8Array>): void;
  read(run: number): ByteSource;
}

/** An n-gram and its documents within one run. */
export interface RunEntry {
  readonly gram: Buffer;
  readonly documents: Uint32Array;
}

/** The same as it is written: its documents as varint differences. */
export interface EncodedEntry {
  readonly gram: Buffer;
  readonly count: number;
  readonly list: Buffer;
}

const PART_BYTES = 256 * 1024;

/** The bytes of a run: for each entry u8 bytes of the n-gram, the n-gram, varint count, varint bytes of the list, the list. */
export function* encodeRun(entries: Iterable<EncodedEntry>): Generator<Uint8Array> {
  const out = new ByteWriter(2 * PART_BYTES);
  for (const { gram, count, list } of entries) {
    out.u8(gram.length);
    out.bytes(gram);
    out.varint(count);
    out.varint(list.length);
    out.bytes(list);
    if (out.length >= PART_BYTES) {
      yield Buffer.from(out.view());
      out.clear();
    }
  }
  yield Buffer.from(out.view());
}

/** What a header of an entry takes at most. */
const HEAD_BYTES = 1 + 255 + 8 + 8;

/** Reads a run from its begin to its end, some of it at a time. @throws CorruptSegment */
export function* decodeRun(source: ByteSource, documentCount: number): Generator<RunEntry> {
  let window: Buffer = Buffer.alloc(0);
  let windowAt = 0;
  const have = (at: number, length: number): Buffer => {
    if (at < windowAt || at + length > windowAt + window.length) {
      window = source.read(at, Math.max(PART_BYTES, length));
      windowAt = at;
    }
    return window.subarray(at - windowAt, at - windowAt + length);
  };
  let at = 0;
  while (at < source.size) {
    const head = new ByteReader(have(at, Math.min(HEAD_BYTES, source.size - at)));
    const gram = Buffer.from(head.bytes(head.u8()));
    const [count, length] = [head.varint(), head.varint()];
    const listAt = at + head.at;
    if (listAt + length > source.size) throw new CorruptSegment('a run ends too early');
    yield { gram, documents: readDifferences(new ByteReader(have(listAt, length)), count, documentCount) };
    at = listAt + length;
  }
}
