import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticateLease, authorizeLease, fixedKeyring, signLease } from '../../../src/lease/index.ts';
import { ed25519, encode, forge, LEASE, MANIFEST, NOW, sorted, vectorJwk, vectorKey } from '../../fixtures/authority/world.ts';

const jwk = vectorJwk(0, 'lease', 'kernel-1');
const moverJwk = vectorJwk(1, 'lease', 'copies-only', ['FILE_COPY']);
const strangerJwk = vectorJwk(2, 'lease', 'kernel-1');
const key = vectorKey(0, 'lease', 'kernel-1');
const keyring = fixedKeyring([key, vectorKey(1, 'lease', 'copies-only', ['FILE_COPY']), vectorKey(3, 'lease', 'retired', [])]);

const HEADER = { alg: 'EdDSA', kid: 'kernel-1', typ: 'writ-lease+jws' };
const PAYLOAD = sorted(LEASE);
const good = await signLease(LEASE, key, ed25519);
const [h = '', p = '', s = ''] = good.split('.');

const withHeader = (change: object): string => forge({ ...HEADER, ...change }, PAYLOAD, jwk);
const withPayload = (change: object): string => forge(HEADER, sorted({ ...LEASE, ...change }), jwk);
function flip(token: string, index: number): string {
  const other = token[index] === 'A' ? 'B' : 'A';
  return token.slice(0, index) + other + token.slice(index + 1);
}
function hs256(secret: string | Uint8Array): string {
  const input = `${encode(JSON.stringify({ ...HEADER, alg: 'HS256' }))}.${p}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

interface Circumstances {
  readonly manifest?: object;
  readonly now?: number;
  readonly revoked?: readonly string[];
  readonly capabilities?: readonly string[];
}

/** What the two stages say of a token, as the pipeline asks them. */
async function judge(
  token: string | undefined,
  { manifest, now = NOW * 1000, revoked = [], capabilities = ['FILE_MOVE'] }: Circumstances = {},
): Promise<string> {
  const expected = { manifest: { ...MANIFEST, ...manifest }, manifestSha256: LEASE.manifest_sha256, aud: 'file', iss: 'writ-kernel' };
  const authenticated = await authenticateLease(token, expected, { keyring, ed25519 });
  if (!authenticated.ok) return `INVALID_LEASE: ${authenticated.message}`;
  const isRevoked = (jti: string): boolean => revoked.includes(jti);
  const refusal = authorizeLease(authenticated.lease, { now, maxTtl: 7200, isRevoked }, new Set(capabilities));
  return refusal ? `${refusal.code}: ${refusal.message}` : 'granted';
}

describe('a lease that is as it should be', () => {
  it('is granted, and names its authority', async () => {
    expect(await judge(good)).toBe('granted');
    const expected = { manifest: MANIFEST, manifestSha256: LEASE.manifest_sha256, aud: 'file', iss: 'writ-kernel' };
    expect(await authenticateLease(good, expected, { keyring, ed25519 })).toEqual({
      ok: true,
      lease: LEASE,
      authority: { jti: 'lease-1', exp: LEASE.exp, kid: 'kernel-1' },
    });
  });

  it('is the same token whenever the same payload is signed', async () => {
    expect(await signLease(LEASE, key, ed25519)).toBe(good);
    expect(forge(HEADER, PAYLOAD, jwk)).toBe(good);
  });

  it('is granted until the last millisecond before its expiry, and up to 60 s before its time of issue', async () => {
    expect(await judge(good, { now: LEASE.exp * 1000 - 1 })).toBe('granted');
    expect(await judge(withPayload({ iat: NOW + 60 }))).toBe('granted');
    expect(await judge(withPayload({ iat: NOW, exp: NOW + 7200 }))).toBe('granted');
  });
});

describe('a lease that is forged, damaged or meant for something else', () => {
  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'no lease'],
    ['is empty', '', 'no lease'],
    ['is of the algorithm none', `${encode(JSON.stringify({ ...HEADER, alg: 'none' }))}.${p}.`, 'compact'],
    ['is of the algorithm none with a signature', `${encode(JSON.stringify({ ...HEADER, alg: 'none' }))}.${p}.${s}`, 'header'],
    ['is HS256 under the public key', hs256(key.publicKey), 'header'],
    ['is HS256 under the public key as base64url', hs256(jwk.x), 'header'],
    ['names the algorithm Ed25519', withHeader({ alg: 'Ed25519' }), 'header'],
    ['names the algorithm in lower case', withHeader({ alg: 'eddsa' }), 'header'],
    ['is of another type', withHeader({ typ: 'JWT' }), 'type'],
    ['is a signed result', withHeader({ typ: 'writ-result+jws' }), 'type'],
    ['is a signed revocation', withHeader({ typ: 'writ-revocation+jws' }), 'type'],
    ['has no type', forge({ alg: 'EdDSA', kid: 'kernel-1' }, PAYLOAD, jwk), 'header'],
    ['has an extra header field', withHeader({ b64: true }), 'header'],
    ['has critical extensions', withHeader({ crit: ['exp'] }), 'header'],
    ['brings its own key', withHeader({ jwk: { kty: 'OKP', crv: 'Ed25519', x: strangerJwk.x } }), 'header'],
    ['names a key URL', withHeader({ jku: 'https://example.org/keys' }), 'header'],
    ['names no key', forge({ alg: 'EdDSA', typ: HEADER.typ }, PAYLOAD, jwk), 'header'],
    ['names a key that is a number', withHeader({ kid: 1 }), 'header'],
    ['names its algorithm twice', forge(`{"alg":"none","alg":"EdDSA","kid":"kernel-1","typ":"${HEADER.typ}"}`, PAYLOAD, jwk), 'header'],
    ['names a key that nobody trusts', withHeader({ kid: 'kernel-2' }), 'not trusted'],
    ['names a key called __proto__', withHeader({ kid: '__proto__' }), 'not trusted'],
    ['is signed by a stranger under a trusted name', forge(HEADER, PAYLOAD, strangerJwk), 'does not verify'],
    ['is signed by another trusted key', forge(HEADER, PAYLOAD, moverJwk), 'does not verify'],
    ['is signed by a key that may not sign this capability', forge({ ...HEADER, kid: 'copies-only' }, PAYLOAD, moverJwk), 'may not sign'],
    ['is signed by a key without capabilities', forge({ ...HEADER, kid: 'retired' }, PAYLOAD, vectorJwk(3, 'lease', 'retired')), 'may not sign'],
    ['has a changed character in its header', flip(good, 3), ''],
    ['has a changed character in its payload', flip(good, h.length + 40), 'does not verify'],
    ['has a changed first character of its signature', flip(good, h.length + p.length + 2), 'does not verify'],
    ['has stray bits in its last character', good.slice(0, -1) + String.fromCharCode(good.charCodeAt(good.length - 1) + 1), 'signature'],
    ['lacks its last character', good.slice(0, -1), 'signature'],
    ['is cut in its payload', `${h}.${p.slice(0, 60)}.${s}`, 'does not verify'],
    ['is padded', `${good}==`, 'compact'],
    ['is padded in its payload', `${h}.${p}=.${s}`, 'compact'],
    ['is in base64 instead of base64url', `${h}.${p}.${Buffer.from(s, 'base64url').toString('base64').replaceAll('=', '')}+/`, ''],
    ['has the signature of other bytes', `${h}.${encode(JSON.stringify(sorted({ ...LEASE, task_id: 'task-2' })))}.${s}`, 'does not verify'],
    ['has an all-zero signature', `${h}.${p}.${encode(new Uint8Array(64))}`, 'does not verify'],
    ['has a signature of 32 bytes', `${h}.${p}.${encode(new Uint8Array(32))}`, 'signature'],
    ['is a payload in another key order', forge(HEADER, LEASE, jwk), 'canonical'],
    ['is a payload with white space', forge(HEADER, JSON.stringify(PAYLOAD, undefined, 1), jwk), 'canonical'],
    ['is a payload with a number written otherwise', forge(HEADER, JSON.stringify(PAYLOAD).replace('"v":1', '"v":1.0'), jwk), 'canonical'],
    ['is a payload with an escaped letter', forge(HEADER, JSON.stringify(PAYLOAD).replace('lease-1', '\\u006cease-1'), jwk), 'canonical'],
    ['is a payload with a key twice', forge(HEADER, JSON.stringify(PAYLOAD).replace('{', '{"aud":"file",'), jwk), 'canonical'],
    ['is a payload with half a surrogate pair', forge(HEADER, JSON.stringify(PAYLOAD).replace('lease-1', '\\ud800'), jwk), 'canonical'],
    ['is a payload with an extra field', withPayload({ sub: 'me' }), 'canonical'],
    ['is a payload without expiry', forge(HEADER, sorted({ ...LEASE, exp: undefined }), jwk), 'canonical'],
    ['is a payload with a fractional expiry', withPayload({ exp: LEASE.exp + 0.5 }), 'canonical'],
    ['is a payload with an expiry in text', withPayload({ exp: String(LEASE.exp) }), 'canonical'],
    ['is a payload of another version', withPayload({ v: 2 }), 'canonical'],
    ['is a list', forge(HEADER, '[]', jwk), 'canonical'],
    ['is null', forge(HEADER, 'null', jwk), 'canonical'],
    ['is no JSON', forge(HEADER, 'lease', jwk), 'canonical'],
    ['is a bomb of brackets', forge(HEADER, '['.repeat(2500), jwk), 'canonical'],
    ['has a bomb of brackets as its header', `${encode('['.repeat(2500))}.${p}.${s}`, 'header'],
    ['is for another queue', withPayload({ aud: 'file@other' }), 'queue'],
    ['is from another issuer', withPayload({ iss: 'somebody' }), 'issued by'],
    ['is for another task', withPayload({ task_id: 'task-2' }), 'task_id'],
    ['is for another capability', withPayload({ capability_id: 'FILE_DELETE' }), 'FILE_DELETE'],
    ['is for another manifest', withPayload({ manifest_sha256: '0'.repeat(64) }), 'another manifest'],
    ['has the hash in upper case', withPayload({ manifest_sha256: LEASE.manifest_sha256.toUpperCase() }), 'canonical'],
    ['is longer than a lease may be', `${h}.${'A'.repeat(5000)}.${s}`, '4096'],
    ['is very long', 'x'.repeat(10_000_000), '4096'],
    ['has two parts', `${h}.${p}`, 'compact'],
    ['has no dots', 'lease', 'compact'],
    ['has five parts', `${good}.${p}.${s}`, 'compact'],
    ['is dots only', '..', 'compact'],
    ['has a detached payload', `${h}..${s}`, 'compact'],
    ['is the JSON serialization of a JWS', JSON.stringify({ protected: h, payload: p, signature: s }), 'compact'],
    ['contains letters beyond ASCII', `${h}.${p}é.${s}`, 'compact'],
    ['contains full-width dots', good.replaceAll('.', '\uff0e'), 'compact'],
    ['contains NUL', `${good}\0`, 'compact'],
    ['ends in a line feed', `${good}\n`, 'compact'],
    ['begins with white space', ` ${good}`, 'compact'],
    ['says Bearer', `Bearer ${good}`, 'compact'],
  ])('is INVALID_LEASE when it %s', { tags: ['FE-41', 'FE-51'] }, async (_what, token, message) => {
    const answer = await judge(token);
    expect(answer).toMatch(/^INVALID_LEASE: /);
    expect(answer).toContain(message);
  });

  it('is INVALID_LEASE when the manifest was changed under it', { tags: ['FE-41'] }, async () => {
    expect(await judge(good, { manifest: { task_id: 'task-2' } })).toBe('INVALID_LEASE: the lease is for another task_id');
    expect(await judge(good, { manifest: { capability_id: 'FILE_DELETE' } })).toMatch(/^INVALID_LEASE: the lease is for FILE_MOVE/);
  });

  it('is INVALID_LEASE when it is from the future, lives too long or was revoked', { tags: ['FE-41'] }, async () => {
    expect(await judge(withPayload({ iat: NOW + 61 }))).toBe('INVALID_LEASE: the lease was issued in the future');
    expect(await judge(withPayload({ iat: NOW, exp: NOW + 7201 }))).toBe('INVALID_LEASE: the lease lives longer than 7200 seconds');
    expect(await judge(good, { revoked: ['lease-1'] })).toBe('INVALID_LEASE: the lease was revoked');
  });

  it('is LEASE_EXPIRED from the millisecond of its expiry on', { tags: ['FE-42'] }, async () => {
    expect(await judge(good, { now: LEASE.exp * 1000 })).toBe(`LEASE_EXPIRED: the lease expired at ${new Date(LEASE.exp * 1000).toISOString()}`);
    expect(await judge(good, { now: (LEASE.exp + 86_400) * 1000 })).toMatch(/^LEASE_EXPIRED/);
    expect(await judge(withPayload({ iat: NOW, exp: NOW - 1 }))).toMatch(/^LEASE_EXPIRED/);
  });

  it('is revoked before it is expired, and expired before it is unsupported', async () => {
    expect(await judge(good, { now: LEASE.exp * 1000, revoked: ['lease-1'], capabilities: [] })).toMatch(/^INVALID_LEASE/);
    expect(await judge(good, { now: LEASE.exp * 1000, capabilities: [] })).toMatch(/^LEASE_EXPIRED/);
  });

  it('is UNSUPPORTED_CAPABILITY where no executor serves it', { tags: ['FE-40'] }, async () => {
    expect(await judge(good, { capabilities: ['FILE_COPY', 'file_move', ''] })).toBe('UNSUPPORTED_CAPABILITY: no executor here serves FILE_MOVE');
  });

  it('cannot be signed by a key that may not', async () => {
    await expect(signLease(LEASE, vectorKey(1, 'lease', 'copies-only', ['FILE_COPY']), ed25519)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
    await expect(signLease(LEASE, vectorKey(1, 'result', 'executor'), ed25519)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
    await expect(signLease({ ...LEASE, exp: 1.5 }, key, ed25519)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'exp' });
  });
});
