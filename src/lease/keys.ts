import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import { fromBase64url, toBase64url } from './base64url.ts';

/** What a key may sign: leases and revocations (kernel), results (executor), or notices to receivers of webhooks (api). */
export type KeyUse = 'lease' | 'result' | 'webhook';

/** `*` stands for every capability. The empty list retires a key: it signs nothing, but its revocations still count. */
const Capabilities = z.array(z.string().min(1).max(64)).max(256);
const Bytes32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

const keyFields = {
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: Bytes32,
  kid: z.string().min(1).max(128),
  'writ:use': z.enum(['lease', 'result', 'webhook']),
  'writ:capabilities': Capabilities,
};

/** A verification key as it stands in a JWKS file. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  /** 32 bytes in base64url. */
  x: string;
  kid: string;
  'writ:use': KeyUse;
  'writ:capabilities': string[];
}

/** Members that other software adds to a key are ignored; a private part is refused. */
export const Jwks = z.looseObject({
  keys: z.array(z.looseObject({ ...keyFields, d: z.undefined('is a private key: verifiers hold public keys only').optional() })).max(256),
});

/** The content of a private key file. */
export const PrivateJwk = z.strictObject({ ...keyFields, d: Bytes32 });
export type PrivateJwk = z.infer<typeof PrivateJwk>;

/** A key that verifies. */
export interface VerifyKey {
  readonly kid: string;
  readonly use: KeyUse;
  readonly capabilities: ReadonlySet<string>;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A key that signs. */
export interface SigningKey extends VerifyKey {
  /** 64 bytes: seed, then public key. */
  readonly secretKey: Uint8Array;
}

export function mayServe(key: VerifyKey, capability: string): boolean {
  return key.capabilities.has('*') || key.capabilities.has(capability);
}

/** What DER says of an Ed25519 key before its 32 raw bytes (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD_BYTES = 12;

/**
 * A new Ed25519 key. It leaves the generator as bytes: exporting a generated KeyObject can hang for ever, because Node holds
 * the key's mutex while it makes the text, and a garbage collection in that moment frees the generator, which takes the
 * mutex again (seen under Node 20.20).
 *
 * @param options.kid default: the key's RFC 7638 thumbprint
 */
export function generateKey(options: { use: KeyUse; capabilities: readonly string[]; kid?: string }): PrivateJwk {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const x = toBase64url(publicKey.subarray(SPKI_HEAD_BYTES));
  return PrivateJwk.parse({
    kty: 'OKP',
    crv: 'Ed25519',
    d: toBase64url(privateKey.subarray(PKCS8_HEAD.length)),
    x,
    kid: options.kid ?? thumbprint(x),
    'writ:use': options.use,
    'writ:capabilities': [...options.capabilities],
  });
}

/** RFC 7638: SHA-256 over the required members in canonical form. */
function thumbprint(x: string): string {
  return toBase64url(Buffer.from(sha256Hex(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x })), 'hex'));
}

/** The part of a private key that others may see. */
export function publicJwk({ kty, crv, x, kid, ...rest }: PrivateJwk): PublicJwk {
  return { kty, crv, x, kid, 'writ:use': rest['writ:use'], 'writ:capabilities': rest['writ:capabilities'] };
}

/** A verification key as a JWKS carries it. */
export function toPublicJwk({ kid, use, capabilities, publicKey }: VerifyKey): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x: toBase64url(publicKey), kid, 'writ:use': use, 'writ:capabilities': [...capabilities] };
}

/** @throws WritError INVALID_CONFIG when `x` is not 32 bytes */
export function verifyKey(jwk: PublicJwk | PrivateJwk): VerifyKey {
  return { kid: jwk.kid, use: jwk['writ:use'], capabilities: new Set(jwk['writ:capabilities']), publicKey: bytes(jwk.x, jwk.kid) };
}

/** @throws WritError INVALID_CONFIG when the private and the public part do not belong together */
export function signingKey(jwk: PrivateJwk): SigningKey {
  const key = verifyKey(jwk);
  const seed = bytes(jwk.d, jwk.kid);
  // Of the private part alone: given both, newer Nodes refuse a pair that does not belong together in words of their own.
  const privateKey = createPrivateKey({ format: 'der', type: 'pkcs8', key: Buffer.concat([PKCS8_HEAD, seed]) });
  const derived = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEAD_BYTES);
  if (!derived.equals(key.publicKey)) throw new WritError('INVALID_CONFIG', `the key ${jwk.kid} has a public part that is not its own`);
  return { ...key, secretKey: new Uint8Array(Buffer.concat([seed, key.publicKey])) };
}

function bytes(text: string, kid: string): Uint8Array {
  const decoded = fromBase64url(text);
  if (decoded?.length !== 32) throw new WritError('INVALID_CONFIG', `the key ${kid} is not 32 bytes in base64url`);
  return decoded;
}
