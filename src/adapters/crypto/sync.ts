/**
 * Ed25519 (RFC 8032) as one library call, on the calling thread. Lengths are already checked: 64 bytes of secret key
 * (seed, then public key) and of signature, 32 bytes of public key.
 */
export interface SyncEd25519 {
  readonly name: 'sodium' | 'node';
  sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array;
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
}

export const SECRET_KEY_BYTES = 64;
export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
