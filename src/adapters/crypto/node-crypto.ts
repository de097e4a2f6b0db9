import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { SyncEd25519 } from './sync.ts';

/** DER of an Ed25519 key up to its 32 raw bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Keys change rarely and there are few of them; the bound only keeps a stream of strange keys from growing the map. */
const MAX_CACHED_KEYS = 64;

/**
 * Ed25519 by OpenSSL: the fallback where libsodium is missing, and the independent check of it in tests. A public key
 * that is no point of the curve verifies nothing.
 */
export function nodeEd25519(): SyncEd25519 {
  const privateKey = cached((bytes) => createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, bytes.subarray(0, 32)]), format: 'der', type: 'pkcs8' }));
  const publicKey = cached((bytes) => createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' }));
  return {
    name: 'node',
    sign: (message, secretKey) => sign(null, message, privateKey(secretKey)),
    verify: (message, signature, key) => verify(null, message, publicKey(key), signature),
  };
}

function cached(make: (bytes: Uint8Array) => KeyObject): (bytes: Uint8Array) => KeyObject {
  const objects = new Map<string, KeyObject>();
  return (bytes) => {
    const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    const known = objects.get(name);
    if (known !== undefined) return known;
    if (objects.size >= MAX_CACHED_KEYS) objects.clear();
    const object = make(bytes);
    objects.set(name, object);
    return object;
  };
}
