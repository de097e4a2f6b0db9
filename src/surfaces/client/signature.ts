import type { KeySet } from './types.ts';

const RESULT_TYP = 'writ-result+jws';
/** `header..signature`, a detached JWS. */
const DETACHED = /^([A-Za-z0-9_-]{1,1024})\.\.([A-Za-z0-9_-]{86})$/;
const ED25519 = 'Ed25519';

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The key that has signed a text, or why none has. */
export type Signer = { readonly kid: string } | { readonly refusal: string };

/**
 * Who has signed a text with a detached JWS of the type of results.
 *
 * @param capability what the key must be allowed to sign
 * @throws Error when WebCrypto has no Ed25519 here
 */
export async function signerOf(text: string, signature: unknown, capability: string, { keys }: KeySet): Promise<Signer> {
  const [, header = '', signed = ''] = (typeof signature === 'string' && DETACHED.exec(signature)) || [];
  const kid = kidOf(header);
  const bytes = bytesOf(signed);
  if (kid === undefined || bytes === undefined) return { refusal: 'the signature is no detached JWS of a result' };
  const [key, twice] = keys.filter((one) => one['kid'] === kid && one['writ:use'] === 'result');
  if (key === undefined || twice !== undefined) return { refusal: `the key ${JSON.stringify(kid.slice(0, 64))} is not trusted here` };
  const may: unknown = key['writ:capabilities'];
  if (!Array.isArray(may) || !(may.includes('*') || may.includes(capability))) return { refusal: `the key may not sign for ${capability}` };
  const publicKey = await imported(key);
  if (publicKey === undefined) return { refusal: 'the key is no public key of Ed25519' };
  const input = new TextEncoder().encode(`${header}.${base64urlOf(new TextEncoder().encode(text))}`);
  return (await subtle().verify(ED25519, publicKey, bytes, input)) ? { kid } : { refusal: 'the signature does not verify' };
}

/** SHA-256 of a text in UTF-8, hexadecimal. */
export async function sha256Of(text: string): Promise<string> {
  const digest = new Uint8Array(await subtle().digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The `kid` of a header that is exactly one of ours. */
function kidOf(part: string): string | undefined {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)));
    if (!isObject(header) || Object.keys(header).sort().join() !== 'alg,kid,typ') return undefined;
    const { alg, kid, typ } = header;
    return alg === 'EdDSA' && typ === RESULT_TYP && typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

async function imported({ kty, crv, x }: Readonly<Record<string, unknown>>): Promise<PublicKey | undefined> {
  if (kty !== 'OKP' || crv !== ED25519 || typeof x !== 'string') return undefined;
  try {
    return await subtle().importKey('jwk', { kty, crv, x }, ED25519, false, ['verify']);
  } catch (error) {
    if (error instanceof Error && error.name === 'DataError') return undefined;
    throw error;
  }
}

function subtle(): typeof crypto.subtle {
  // Browsers give it to secure contexts only.
  if (globalThis.crypto?.subtle === undefined) throw new Error('WebCrypto is missing here: results are verified on https, on localhost, or in Node');
  return crypto.subtle;
}

/** The bytes of base64url in its one spelling: without padding or stray bits. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
    return base64urlOf(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes that are put into one call; an end of a plan is too long for one. */
const CHUNK = 8192;

function base64urlOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
