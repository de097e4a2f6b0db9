import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../config/schema.ts';
import { signatureReader } from '../../../src/bin/signatures.ts';
import { dataDirPaths } from '../../../src/data-dir/paths.ts';
import { publicJwk, signLease } from '../../../src/lease/index.ts';
import { ed25519, LEASE, MANIFEST, vectorJwk, vectorKey } from '../../fixtures/authority/world.ts';

const home = mkdtempSync(join(tmpdir(), 'writ-signatures-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const jwk = vectorJwk(0, 'lease', 'kernel-1');
const key = vectorKey(0, 'lease', 'kernel-1');
const places = { ...dataDirPaths(home), kernelKeyring: join(home, 'kernel.jwks.json') };

describe('what the kernel has just answered to this process', () => {
  let verified = 0;
  beforeEach(() => {
    verified = 0;
    writeFileSync(places.kernelKeyring, JSON.stringify({ keys: [publicJwk(jwk)] }));
  });
  const reader = () =>
    signatureReader({
      config: ConfigSchema.parse({}),
      places,
      feed: async () => ({ read: async () => [] }),
      ed25519: {
        ...ed25519,
        verify: (...parts) => {
          verified += 1;
          return ed25519.verify(...parts);
        },
      },
    });

  it('is looked at without calculating its signature; what came from elsewhere is not', async () => {
    const lease = await signLease(LEASE, key, ed25519);
    expect(await reader().readLease(lease, MANIFEST, undefined, true)).toMatchObject({ ok: true, value: { payload: LEASE, kid: 'kernel-1' } });
    expect(verified).toBe(0);
    expect(await reader().readLease(lease, MANIFEST)).toMatchObject({ ok: true });
    expect(verified).toBe(1);
    const forged = `${lease.slice(0, -4)}AAAA`;
    expect(await reader().readLease(forged, MANIFEST)).toMatchObject({ ok: false });
  });

  it('must still be for this manifest and queue, by this issuer, under a key that is trusted here', async () => {
    const judge = async (change: object, queue?: string) => reader().readLease(await signLease({ ...LEASE, ...change }, key, ed25519), MANIFEST, queue, true);
    expect(await judge({})).toMatchObject({ ok: true });
    expect(await judge({ manifest_sha256: 'a'.repeat(64) })).toMatchObject({ ok: false, error: 'the lease is for another manifest' });
    expect(await judge({ task_id: 'other' })).toMatchObject({ ok: false });
    expect(await judge({}, 'file@elsewhere')).toMatchObject({ ok: false, error: expect.stringContaining('for the queue file, not') });
    expect(await judge({ iss: 'another' })).toMatchObject({ ok: false });
    writeFileSync(places.kernelKeyring, JSON.stringify({ keys: [] }));
    expect(await judge({})).toMatchObject({ ok: false, error: expect.stringContaining('not trusted here') });
  });
});
