/**
 * A file of vectors (AMVI, version 1), one for each kind of document and embedder. Numbers are little-endian.
 *
 *   0    magic      4 bytes `AMVI`
 *   4    version    u16, 1
 *   6    dimension  u32, numbers in a vector, 1 to 4096
 *   10   count      u64, vectors
 *   18   length     u16, bytes of the name that follows, 1 to 64
 *   20   embedder   its id: lower-case letters, digits, `.`, `-` and `_`
 *        zeros up to a multiple of 8
 *        records    count x 12 bytes: i64 id of the document, u32 number of its vector in the slab; ids ascend, and each
 *                   vector of the slab has one
 *        zeros up to a multiple of 32
 *        slab       count x dimension halves (IEEE 754 binary16), all of them finite
 *        digest     SHA-256 of everything before it
 *
 * A file is refused unless all of this holds and it ends with the digest: a damaged vector would not fail, it would be found.
 * The digest makes the other rules hard to break by accident; they keep a file that somebody made from doing harm.
 */
export const AMVI = { magic: 'AMVI', version: 1, fixedBytes: 20, recordBytes: 12, digestBytes: 32, mostDimension: 4096, mostName: 64 } as const;

/** Bytes that are read at most: what fits into one buffer of Node 20, with room. */
export const MAX_AMVI_BYTES = 3 * 1024 ** 3;

export const EMBEDDER_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export interface AmviLayout {
  readonly records: number;
  readonly slab: number;
  readonly digest: number;
  readonly size: number;
}

/** Where the parts of a file lie, in bytes. */
export function amviLayout({ nameBytes, count, dimension }: { nameBytes: number; count: number; dimension: number }): AmviLayout {
  const records = padded(AMVI.fixedBytes + nameBytes, 8);
  const slab = padded(records + count * AMVI.recordBytes, 32);
  const digest = slab + count * dimension * 2;
  return { records, slab, digest, size: digest + AMVI.digestBytes };
}

function padded(bytes: number, multiple: number): number {
  return Math.ceil(bytes / multiple) * multiple;
}
