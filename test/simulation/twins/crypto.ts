import { createHash, hash } from 'node:crypto';
import type { Ed25519 } from '../../../src/core/ports/index.ts';
import type { SigningKey } from '../../../src/lease/index.ts';

/**
 * Signatures that cost a hash: who has the secret key can sign, and every change of message or key shows. Everything around
 * the mathematics (headers, keyrings, canonical forms, subjects) is the product's.
 */
export const cheapEd25519: Ed25519 = {
  sign: async (message, secretKey) => digest(message, secretKey.subarray(32).length === 32 ? secretKey.subarray(32) : secretKey),
  verify: async (message, signature, publicKey) => Buffer.compare(digest(message, publicKey), signature) === 0,
};

function digest(message: Uint8Array, key: Uint8Array): Uint8Array {
  return hash('sha512', Buffer.concat([key, message]), 'buffer');
}

/** A key of a party in the simulation; the same name gives the same key. */
export function simKey(name: string, use: 'lease' | 'result'): SigningKey {
  const publicKey = createHash('sha256').update(name).digest();
  return {
    kid: name,
    use,
    capabilities: new Set(['*']),
    publicKey: new Uint8Array(publicKey),
    secretKey: new Uint8Array(Buffer.concat([Buffer.alloc(32, 7), publicKey])),
  };
}
