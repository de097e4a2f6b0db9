import { ByteReader, ByteWriter } from '../segment/bytes.ts';
import { type ByteSource, CorruptSegment } from '../segment/format.ts';
import type { SegmentPosting } from '../segment/postings.ts';
import type { Hasher } from '../tokenize/hash.ts';

/** The store of sorted runs until they are merged; it is removed with the build. */
export interface RunStore {
  /** Keeps the parts of a run in this order. */
  write(run: number, parts: Iterable<Uint8Array>): void;
  read(run: number): ByteSource;
}

/** The number of a run, which its checksums include, so that another run in its place is detected. */
export interface RunIdentity {
  readonly run: number;
  readonly hasher: Hasher;
}

const PART_BYTES = 256 * 1024;
/** The frame of a part: u32 bytes of its body, u64 XXH64 of the body with the numbers of run and part as seed. */
const FRAME_BYTES = 4 + 8;

const seedOf = (run: number, part: number): bigint => (BigInt(run) << 32n) | BigInt(part);

/**
 * The bytes of a run: parts, each a frame and a body of whole entries: u8 bytes of the n-gram, the n-gram, varint count, varint
 * last document, varint bytes of the list, the list. A run that is damaged must not become a segment that is sound.
 */
export function* encodeRun(postings: Iterable<SegmentPosting>, { run, hasher }: RunIdentity): Generator<Uint8Array> {
  const out = new ByteWriter(2 * PART_BYTES);
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
  for (const { trigram, count, last, differences } of postings) {
    out.u8(trigram.length);
    out.bytes(trigram);
    out.varint(count);
    out.varint(last);
    out.varint(differences.length);
    out.bytes(differences);
    if (out.length >= PART_BYTES) yield* framed();
  }
  if (out.length > 0) yield* framed();
}

/** Reads a run from start to end, a part at a time. @param size bytes that were written @throws CorruptSegment */
export function* decodeRun(source: ByteSource, size: number, { run, hasher }: RunIdentity): Generator<SegmentPosting> {
  if (source.size !== size) throw new CorruptSegment('a run is not as long as it was');
  for (let at = 0, part = 0; at < size; part += 1) {
    const frame = source.read(at, FRAME_BYTES);
    const length = frame.length === FRAME_BYTES ? frame.readUInt32LE(0) : size;
    if (at + FRAME_BYTES + length > size) throw new CorruptSegment('a run ends too early');
    const body = source.read(at + FRAME_BYTES, length);
    if (body.length !== length || hasher.h64(body, seedOf(run, part)) !== frame.readBigUInt64LE(4)) throw new CorruptSegment('a run is damaged');
    yield* postingsIn(body);
    at += FRAME_BYTES + length;
  }
}

/** The postings in a body whose checksum is right. */
function* postingsIn(body: Buffer): Generator<SegmentPosting> {
  const reader = new ByteReader(body);
  while (!reader.ended) {
    const trigram = reader.bytes(reader.u8());
    yield { trigram, count: reader.varint(), last: reader.varint(), differences: reader.bytes(reader.varint()) };
  }
}
