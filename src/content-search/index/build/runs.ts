import type { Hasher } from '../hash.ts';
import { ByteReader, ByteWriter } from '../segment/bytes.ts';
import { type ByteSource, CorruptSegment } from '../segment/format.ts';
import { readDifferences, writeDifferences } from '../segment/postings.ts';

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

/** Says which run it is, so that another one in its place is found out; and what makes the checksums. */
export interface RunIdentity {
  readonly run: number;
  readonly hasher: Hasher;
}

const PART_BYTES = 256 * 1024;
/** Of a part: u32 bytes of its body, u64 XXH64 of the body with the numbers of run and part as seed. */
const FRAME_BYTES = 4 + 8;

const seedOf = (run: number, part: number): bigint => (BigInt(run) << 32n) | BigInt(part);

/**
 * The bytes of a run: parts, each a frame and a body of whole entries: u8 bytes of the n-gram, the n-gram, varint count, varint
 * bytes of the list, the list. A run that is damaged must not become a segment that is sound.
 */
export function* encodeRun(entries: Iterable<RunEntry>, { run, hasher }: RunIdentity): Generator<Uint8Array> {
  const out = new ByteWriter(2 * PART_BYTES);
  const list = new ByteWriter();
  let part = 0;
  const framed = (): readonly Uint8Array[] => {
    const body = Buffer.from(out.view());
    const frame = Buffer.alloc(FRAME_BYTES);
    frame.writeUInt32LE(body.length, 0);
    frame.writeBigUInt64LE(hasher.h64(body, seedOf(run, part)), 4);
    out.clear();
    part += 1;
    return [frame, body];
  };
  for (const { gram, documents } of entries) {
    list.clear();
    writeDifferences(list, documents);
    out.u8(gram.length);
    out.bytes(gram);
    out.varint(documents.length);
    out.varint(list.length);
    out.bytes(list.view());
    if (out.length >= PART_BYTES) yield* framed();
  }
  if (out.length > 0) yield* framed();
}

/** Reads a run from its begin to its end, a part at a time. @param size bytes that were written @throws CorruptSegment */
export function* decodeRun(source: ByteSource, size: number, documentCount: number, { run, hasher }: RunIdentity): Generator<RunEntry> {
  if (source.size !== size) throw new CorruptSegment('a run is not as long as it was');
  for (let at = 0, part = 0; at < size; part += 1) {
    const frame = source.read(at, FRAME_BYTES);
    const length = frame.length === FRAME_BYTES ? frame.readUInt32LE(0) : size;
    if (at + FRAME_BYTES + length > size) throw new CorruptSegment('a run ends too early');
    const body = source.read(at + FRAME_BYTES, length);
    if (body.length !== length || hasher.h64(body, seedOf(run, part)) !== frame.readBigUInt64LE(4)) throw new CorruptSegment('a run is damaged');
    yield* entriesOf(body, documentCount);
    at += FRAME_BYTES + length;
  }
}

function* entriesOf(body: Buffer, documentCount: number): Generator<RunEntry> {
  const reader = new ByteReader(body);
  while (reader.at < body.length) {
    const gram = reader.bytes(reader.u8());
    const count = reader.varint();
    // The list ends where its numbers end.
    const length = reader.varint();
    const end = reader.at + length;
    const documents = readDifferences(reader, count, documentCount);
    if (reader.at !== end) throw new CorruptSegment('a list of a run is not as long as it says');
    yield { gram, documents };
  }
}
