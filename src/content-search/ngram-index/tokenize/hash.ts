import xxhash from 'xxhash-wasm';

/** What filters and checksums are made with. */
export interface Hasher {
  /** XXH64, unsigned. */
  h64(bytes: Uint8Array, seed: bigint): bigint;
  /** XXH32, unsigned. */
  h32(bytes: Uint8Array, seed: number): number;
}

/**
 * Makes the hash functions ready. They are computed in WebAssembly by the algorithm's definition, so they are the same on
 * every platform, whatever its byte order (FR-LSI-BLOOM-02, T-LSI-BLOOM-03).
 */
export async function loadHasher(): Promise<Hasher> {
  const { h64Raw, h32Raw } = await xxhash();
  return { h64: h64Raw, h32: h32Raw };
}
