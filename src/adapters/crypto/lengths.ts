import { WritError } from '../../core/errors.ts';
import { PUBLIC_KEY_BYTES, SECRET_KEY_BYTES, SIGNATURE_BYTES } from './sync.ts';

/** A key of the wrong length is our mistake, never a producer's: keys come out of checked key files. */
export function assertSecretKey(secretKey: Uint8Array): void {
  if (secretKey.length !== SECRET_KEY_BYTES) throw new WritError('INTERNAL', `an Ed25519 secret key has ${SECRET_KEY_BYTES} bytes`);
}

export function assertPublicKey(publicKey: Uint8Array): void {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new WritError('INTERNAL', `an Ed25519 public key has ${PUBLIC_KEY_BYTES} bytes`);
}

/** A signature of another length is just wrong. */
export function isSignature(signature: Uint8Array): boolean {
  return signature.length === SIGNATURE_BYTES;
}
