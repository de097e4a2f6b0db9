import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeasePayload } from '../../src/contracts/index.ts';
import { canonicalJson } from '../../src/core/canonical-json.ts';
import { failure, type Outcome, success } from '../../src/core/outcome.ts';
import { authenticateLease, createResultSigner, fixedKeyring, signLease, verifyResult } from '../../src/lease/index.ts';
import { readPayload } from '../../src/lease/token.ts';
import { ed25519, encode, LEASE, MANIFEST, vectorKey } from '../fixtures/authority/world.ts';

const key = vectorKey(0, 'lease', 'kernel-1');
const executor = vectorKey(1, 'result', 'executor-1');
const leases = { keyring: fixedKeyring([key]), ed25519 };
const results = { keyring: fixedKeyring([executor]), ed25519 };
const expectedOf = (lease: LeasePayload) => ({
  manifest: { task_id: lease.task_id, capability_id: lease.capability_id },
  manifestSha256: lease.manifest_sha256,
  aud: lease.aud,
  iss: lease.iss,
});

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const seconds = fc.integer({ min: 0, max: 253402300799 });
const lease: fc.Arbitrary<LeasePayload> = fc.record({
  v: fc.constant(1 as const),
  iss: name,
  aud: name,
  jti: name,
  task_id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
  capability_id: name,
  manifest_sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  iat: seconds,
  exp: seconds,
});

describe('properties of leases', () => {
  it('what was signed is what is read', async () => {
    await fc.assert(
      fc.asyncProperty(lease, async (payload) => {
        expect(await authenticateLease(await signLease(payload, key, ed25519), expectedOf(payload), leases)).toMatchObject({ ok: true, lease: payload });
      }),
    );
  });

  it('any single bit flip of a lease is refused', async () => {
    const good = Buffer.from(await signLease(LEASE, key, ed25519));
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const bad = Buffer.from(good);
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const answer = await authenticateLease(bad.toString('latin1'), expectedOf(LEASE), leases);
      if (answer.ok) expect.fail(`bit ${bit} may be flipped`);
    }
  });

  it('no text makes the verifier throw, and none but ours is taken', async () => {
    const part = fc.oneof(fc.base64String({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 60 }), fc.json().map(encode));
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (token) => {
        expect(await authenticateLease(token, expectedOf(LEASE), leases)).toMatchObject({ ok: false, message: expect.stringMatching(/./) });
      }),
      { numRuns: 500 },
    );
  });

  it('the quick check of a flat payload agrees with the canonical form', () => {
    // Keys that JavaScript takes for array indices are excepted: no payload of ours has one.
    const key = fc.string({ unit: 'grapheme', maxLength: 6 }).filter((k) => !/^(0|[1-9][0-9]*|__proto__|constructor|prototype|toJSON)$/.test(k));
    const flat = fc.dictionary(
      key,
      fc.oneof(fc.integer(), fc.string({ unit: 'grapheme', maxLength: 8 }), fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e9, min: -1e9 })),
    );
    fc.assert(
      fc.property(flat, fc.boolean(), (value, reversed) => {
        const shown = { ...Object.fromEntries(reversed ? Object.entries(value).reverse() : Object.entries(value)) };
        const text = JSON.stringify(shown);
        expect(readPayload(encode(text)) !== undefined).toBe(text === canonicalJson(shown));
        expect(readPayload(encode(canonicalJson(shown)))).toEqual(JSON.parse(text));
      }),
    );
  });
});

const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => isCanonicalizable(value));
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  json.map((value) => success({ value: JSON.parse(JSON.stringify(value)) })),
  fc.string({ unit: 'binary', maxLength: 50 }).map((message) => failure('EXECUTION_FAILED', message)),
);

function isCanonicalizable(value: unknown): boolean {
  try {
    return canonicalJson(value) !== '';
  } catch {
    return false;
  }
}

describe('properties of results', () => {
  const subject = { taskId: MANIFEST.task_id, capabilityId: MANIFEST.capability_id, manifestSha256: LEASE.manifest_sha256 };
  const signer = createResultSigner(executor, ed25519);

  it('what an executor signs verifies, and is canonical text', async () => {
    await fc.assert(
      fc.asyncProperty(outcome, async (value) => {
        const text = await signer.sign(MANIFEST, LEASE.manifest_sha256, value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(await verifyResult(text, subject, results)).toMatchObject({ ok: true, result: { status: value.status } });
      }),
    );
  });

  it('any single bit flip of a result is refused', async () => {
    const good = Buffer.from(await signer.sign(MANIFEST, LEASE.manifest_sha256, success({ source: '/data/a' })));
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const bad = Buffer.from(good);
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if ((await verifyResult(bad.toString('utf8'), subject, results)).ok) expect.fail(`bit ${bit} may be flipped`);
    }
  });
});
