import { createHash } from 'node:crypto';
import { AMVI, amviLayout } from './amvi-layout.ts';
import type { Expected, Vectors } from './amvi-read.ts';

/** The bytes of a file of vectors (amvi-layout.ts). Ids must be different from each other; they need no order. */
export function amviBytes({ ids, slab }: Vectors, { embedder, dimension }: Expected): Buffer {
  const name = Buffer.from(embedder, 'latin1');
  const layout = amviLayout({ nameBytes: name.length, count: ids.length, dimension });
  const bytes = Buffer.alloc(layout.size);
  bytes.write(AMVI.magic, 0, 'latin1');
  bytes.writeUInt16LE(AMVI.version, 4);
  bytes.writeUInt32LE(dimension, 6);
  bytes.writeBigUInt64LE(BigInt(ids.length), 10);
  bytes.writeUInt16LE(name.length, 18);
  name.copy(bytes, AMVI.fixedBytes);
  const order = Uint32Array.from(ids, (_, vector) => vector).sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0));
  order.forEach((vector, record) => {
    const at = layout.records + record * AMVI.recordBytes;
    bytes.writeBigInt64LE(BigInt(ids[vector] ?? 0), at);
    bytes.writeUInt32LE(vector, at + 8);
  });
  Buffer.from(slab.buffer, slab.byteOffset, slab.byteLength).copy(bytes, layout.slab);
  createHash('sha256').update(bytes.subarray(0, layout.digest)).digest().copy(bytes, layout.digest);
  return bytes;
}
