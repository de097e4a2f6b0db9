/** Ed25519 by several means behind one port (`core/ports/signing.ts`). */
export { bestLibrary, inlineEd25519 } from './inline.ts';
export { nodeEd25519 } from './node-crypto.ts';
export { type CryptoPool, type CryptoPoolOptions, createCryptoPool } from './pool.ts';
export { loadSodium } from './sodium.ts';
export type { SyncEd25519 } from './sync.ts';
