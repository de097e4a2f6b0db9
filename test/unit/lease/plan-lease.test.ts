import { describe, expect, it } from 'vitest';
import type { PlanLeasePayload } from '../../../src/contracts/index.ts';
import { authenticatePlanLease, authorizeTimes, createPlanEndSigner, fixedKeyring, signLease, signPlanLease, verifyPlanEnd } from '../../../src/lease/index.ts';
import { ed25519, forge, LEASE, NOW, sorted, vectorJwk, vectorKey } from '../../fixtures/authority/world.ts';

const PLAN = 'c'.repeat(64);
const PAYLOAD: PlanLeasePayload = {
  v: 1,
  iss: 'writ-kernel',
  aud: 'plan',
  jti: 'plan-lease-1',
  plan_sha256: PLAN,
  capabilities: ['FILE_COPY', 'TOOL_CALL:http.webhook'],
  scopes: ['/data'],
  iat: NOW - 10,
  exp: NOW + 3600,
};
const HEADER = { alg: 'EdDSA', kid: 'kernel-1', typ: 'writ-plan-lease+jws' };
const jwk = vectorJwk(0, 'lease', 'kernel-1');
const keyring = fixedKeyring([vectorKey(0, 'lease', 'kernel-1'), vectorKey(1, 'lease', 'copies-only', ['FILE_COPY'])]);
const good = await signPlanLease(PAYLOAD, vectorKey(0, 'lease', 'kernel-1'), ed25519);
const taskLease = await signLease(LEASE, vectorKey(0, 'lease', 'kernel-1'), ed25519);
const judge = async (token: string | undefined, planSha256 = PLAN, aud = 'plan') => {
  const answer = await authenticatePlanLease(token, { planSha256, aud, iss: 'writ-kernel' }, { keyring, ed25519 });
  return answer.ok ? 'genuine' : answer.message;
};
const withPayload = (change: object): string => forge(HEADER, sorted({ ...PAYLOAD, ...change }), jwk);

describe("a plan's lease", () => {
  it('is genuine for its plan on its queue, and says what it allows', async () => {
    expect(await authenticatePlanLease(good, { planSha256: PLAN, aud: 'plan', iss: 'writ-kernel' }, { keyring, ed25519 })).toEqual({
      ok: true,
      lease: PAYLOAD,
    });
    expect(forge(HEADER, sorted(PAYLOAD), jwk)).toBe(good);
  });

  it('is not signed when nobody would read it', async () => {
    const scopes = (bytes: number): string[] => Array.from({ length: 64 }, (_, n) => `/${n}/${'d'.repeat(bytes)}`);
    const sign = (bytes: number) => signPlanLease({ ...PAYLOAD, scopes: scopes(bytes) }, vectorKey(0, 'lease', 'kernel-1'), ed25519);
    expect(await judge(await sign(4000))).toBe('genuine');
    const wide = signPlanLease({ ...PAYLOAD, scopes: scopes(0).map((scope) => scope + 'é'.repeat(4000)) }, vectorKey(0, 'lease', 'kernel-1'), ed25519);
    await expect(wide).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'scopes' });
  });

  it.each<readonly [string, string | undefined]>([
    ['is missing', undefined],
    ['is no token', 'a.b'],
    ['is the lease of a task', taskLease],
    ['is for another plan', withPayload({ plan_sha256: 'd'.repeat(64) })],
    ['is for another queue', withPayload({ aud: 'plan@other' })],
    ['is from another issuer', withPayload({ iss: 'somebody' })],
    ['has a field too many', withPayload({ more: 1 })],
    ['has no list of capabilities', withPayload({ capabilities: 'FILE_COPY' })],
    ['is not in canonical form', forge(HEADER, { ...PAYLOAD, v: 1 }, jwk)],
    ['is signed by a key for tasks only', forge({ ...HEADER, kid: 'copies-only' }, sorted(PAYLOAD), vectorJwk(1, 'lease', 'copies-only', ['FILE_COPY']))],
    ["is signed by a stranger under the kernel's name", forge(HEADER, sorted(PAYLOAD), vectorJwk(2, 'lease', 'kernel-1'))],
    ['is cut', good.slice(0, -3)],
    ['is longer than any', 'a'.repeat(500_000)],
  ])('is refused when it %s', async (_why, token) => {
    expect(await judge(token)).not.toBe('genuine');
  });

  it('counts from its issue to its expiry unless it was revoked', () => {
    const at = (seconds: number, revoked = false) => authorizeTimes(PAYLOAD, { now: seconds * 1000, maxTtl: 7200, isRevoked: () => revoked })?.code;
    expect([at(NOW), at(PAYLOAD.exp), at(NOW, true), at(NOW - 80)]).toEqual([undefined, 'LEASE_EXPIRED', 'INVALID_LEASE', 'INVALID_LEASE']);
  });
});

describe("a plan's end", () => {
  const executor = vectorKey(3, 'result', 'executor-1');
  const trusted = { keyring: fixedKeyring([executor]), ed25519 };
  const envelope = { header: { id: 'é' }, output: { results: [], memory: {} }, error: null };

  it('is the same text whenever the same envelope is signed, and verifies for its plan only', async () => {
    const signer = createPlanEndSigner(executor, ed25519);
    const text = await signer.signEnd(PLAN, envelope);
    expect(await signer.signEnd(PLAN, { error: null, output: { memory: {}, results: [] }, header: { id: 'é' } })).toBe(text);
    expect(await verifyPlanEnd(text, PLAN, trusted)).toEqual({ ok: true, kid: 'executor-1', envelope });
    expect((await verifyPlanEnd(text, 'd'.repeat(64), trusted)).ok).toBe(false);
    expect((await verifyPlanEnd(text.replace('"error":null', '"error":{}'), PLAN, trusted)).ok).toBe(false);
    expect((await verifyPlanEnd(text, PLAN, { keyring: fixedKeyring([]), ed25519 })).ok).toBe(false);
  });

  it.each(['', '{}', '[]', '{"envelope":1,"signature":"a..b"}', `{"envelope":{},"plan_sha256":"${PLAN}","signature":"nothing"}`])('is not %s', async (text) => {
    expect((await verifyPlanEnd(text, PLAN, trusted)).ok).toBe(false);
  });
});
