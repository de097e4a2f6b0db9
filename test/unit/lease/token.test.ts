import { CompactSign, calculateJwkThumbprint, compactVerify, flattenedVerify, importJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { success } from '../../../src/core/outcome.ts';
import { authenticateLease, createResultSigner, fixedKeyring, generateKey, publicJwk, signingKey, signLease } from '../../../src/lease/index.ts';
import { ed25519, LEASE, MANIFEST } from '../../fixtures/authority/world.ts';

const jwk = generateKey({ use: 'lease', capabilities: ['FILE_MOVE'] });
const key = signingKey(jwk);
const expected = { manifest: MANIFEST, manifestSha256: LEASE.manifest_sha256, aud: 'file', iss: 'writ-kernel' };

describe('jose, an independent implementation of JWS', () => {
  it('verifies a lease of ours', async () => {
    const token = await signLease(LEASE, key, ed25519);
    const { payload, protectedHeader } = await compactVerify(token, await importJWK(publicJwk(jwk), 'EdDSA'), { algorithms: ['EdDSA'] });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'writ-lease+jws', kid: jwk.kid });
    expect(new TextDecoder().decode(payload)).toBe(canonicalJson(LEASE));
  });

  it('makes a lease that verifies here, in whatever order its header is', async () => {
    const privateKey = await importJWK(jwk, 'EdDSA');
    const sign = (header: { alg: string; typ: string; kid: string }): Promise<string> =>
      new CompactSign(new TextEncoder().encode(canonicalJson(LEASE))).setProtectedHeader(header).sign(privateKey);
    for (const header of [
      { alg: 'EdDSA', typ: 'writ-lease+jws', kid: jwk.kid },
      { kid: jwk.kid, typ: 'writ-lease+jws', alg: 'EdDSA' },
    ]) {
      expect(await authenticateLease(await sign(header), expected, { keyring: fixedKeyring([key]), ed25519 })).toMatchObject({ ok: true, lease: LEASE });
    }
  });

  it('verifies a result of ours as a detached JWS', async () => {
    const executor = generateKey({ use: 'result', capabilities: ['*'] });
    const outcome = success({ task_id: 'task-1', result_summary: { b: 'é', a: 1.5 } });
    const { signature } = JSON.parse(await createResultSigner(signingKey(executor), ed25519).sign(MANIFEST, LEASE.manifest_sha256, outcome));
    const [protectedHeader, , sig] = String(signature).split('.');
    const payload = canonicalJson({ task_id: 'task-1', capability_id: 'FILE_MOVE', manifest_sha256: LEASE.manifest_sha256, ...outcome });
    const jws = { protected: protectedHeader ?? '', payload: Buffer.from(payload).toString('base64url'), signature: sig ?? '' };
    await expect(flattenedVerify(jws, await importJWK(publicJwk(executor), 'EdDSA'), { algorithms: ['EdDSA'] })).resolves.toBeDefined();
  });

  it('computes the thumbprint that names our keys', async () => {
    expect(jwk.kid).toBe(await calculateJwkThumbprint(publicJwk(jwk)));
  });
});
