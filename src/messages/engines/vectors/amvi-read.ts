import { createHash } from 'node:crypto';
import { AMVI, type AmviLayout, amviLayout, EMBEDDER_ID } from './amvi-layout.ts';
import { isFinite16 } from './half.ts';

/** The vectors of a file. */
export interface Vectors {
  /** Ids of the documents, in the order of the slab. */
  readonly ids: Float64Array;
  /** Halves of one vector after the other. */
  readonly slab: Uint16Array;
}

export interface Expected {
  readonly embedder: string;
  readonly dimension: number;
}

/** The vectors in the bytes of a file (amvi-layout.ts), or what keeps it from being read. */
export function readAmvi(bytes: Buffer, expected: Expected): Vectors | { readonly refused: string } {
  const header = readHeader(bytes);
  if ('refused' in header) return header;
  const { embedder, dimension, count, layout } = header;
  if (embedder !== expected.embedder) return { refused: `its vectors are of the embedder ${embedder}` };
  if (dimension !== expected.dimension) return { refused: `its vectors have ${dimension} numbers` };
  const digest = createHash('sha256').update(bytes.subarray(0, layout.digest)).digest();
  if (!digest.equals(bytes.subarray(layout.digest))) return { refused: 'its digest is another one' };
  const ids = readRecords(bytes, layout, count);
  if (ids === undefined) return { refused: 'its records are not in order' };
  const slab = slabOf(bytes, layout, count * dimension);
  return slab.every(isFinite16) ? { ids, slab } : { refused: 'a number of it is none' };
}

interface Header {
  readonly embedder: string;
  readonly dimension: number;
  readonly count: number;
  readonly layout: AmviLayout;
}

function readHeader(bytes: Buffer): Header | { readonly refused: string } {
  if (bytes.length < AMVI.fixedBytes || bytes.toString('latin1', 0, 4) !== AMVI.magic) return { refused: 'it is no file of vectors' };
  if (bytes.readUInt16LE(4) !== AMVI.version) return { refused: `its version is ${bytes.readUInt16LE(4)}` };
  const dimension = bytes.readUInt32LE(6);
  const count = bytes.readUInt32LE(10) + bytes.readUInt32LE(14) * 2 ** 32;
  const nameBytes = bytes.readUInt16LE(18);
  const layout = amviLayout({ nameBytes, count, dimension });
  if (dimension === 0 || dimension > AMVI.mostDimension || nameBytes > AMVI.mostName || layout.size !== bytes.length)
    return { refused: 'its size is another one' };
  const embedder = bytes.toString('latin1', AMVI.fixedBytes, AMVI.fixedBytes + nameBytes);
  const pads = [bytes.subarray(AMVI.fixedBytes + nameBytes, layout.records), bytes.subarray(layout.records + count * AMVI.recordBytes, layout.slab)];
  if (!EMBEDDER_ID.test(embedder) || pads.some((pad) => pad.some((byte) => byte !== 0))) return { refused: 'its header is not well formed' };
  return { embedder, dimension, count, layout };
}

/** Ids by the vector that they name; `undefined` unless they ascend and each vector is named once. */
function readRecords(bytes: Buffer, { records }: AmviLayout, count: number): Float64Array | undefined {
  const ids = new Float64Array(count).fill(Number.NaN);
  let last = Number.NEGATIVE_INFINITY;
  for (let at = records; at < records + count * AMVI.recordBytes; at += AMVI.recordBytes) {
    const id = bytes.readInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
    const vector = bytes.readUInt32LE(at + 8);
    if (!Number.isSafeInteger(id) || id <= last || vector >= count || !Number.isNaN(ids[vector])) return undefined;
    ids[vector] = id;
    last = id;
  }
  return ids;
}

/** Node's buffers begin anywhere, 16 bits at even places. */
function slabOf(bytes: Buffer, { slab, digest }: AmviLayout, length: number): Uint16Array {
  if ((bytes.byteOffset + slab) % 2 === 0) return new Uint16Array(bytes.buffer, bytes.byteOffset + slab, length);
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset + slab, bytes.byteOffset + digest));
}
