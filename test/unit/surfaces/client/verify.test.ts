import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import { failure, type Outcome, success } from '../../../../src/core/outcome.ts';
import { createPlanEndSigner, createResultSigner } from '../../../../src/lease/index.ts';
import { canonicalOf } from '../../../../src/surfaces/client/canonical.ts';
import type { ExecutionResult, PlanResult, TaskManifest } from '../../../../src/surfaces/client/index.ts';
import { verifyPlanResult, verifyResult } from '../../../../src/surfaces/client/index.ts';
import { ed25519, forge, MANIFEST, vectorJwk, vectorKey } from '../../../fixtures/authority/world.ts';

const published = (...of: Parameters<typeof vectorJwk>): Record<string, unknown> => ({ ...vectorJwk(...of), d: undefined });
const trusted = published(1, 'result', 'executor-1');
const keys = { keys: [trusted, published(2, 'result', 'moves-only', ['FILE_MOVE']), published(0, 'lease', 'kernel-1')] };
const signer = createResultSigner(vectorKey(1, 'result', 'executor-1'), ed25519);
const outcome = success({
  task_id: 'task-1',
  capability_id: 'FILE_MOVE',
  result_summary: { source: '/data/a', destination: '/data/ü"b', bytes: 3, part: 0.1 },
});
const signed = async (value: Outcome, of: TaskManifest = MANIFEST, by = signer): Promise<ExecutionResult> =>
  JSON.parse(await by.sign(of, manifestSha256(of), value)) as ExecutionResult;
const result = await signed(outcome);

describe('the client verifies a result', () => {
  it.each<[string, Outcome]>([
    ['a success', outcome],
    ['an empty success', success({})],
    ['a failure', failure('EXECUTION_FAILED', 'destination exists')],
    ['a failure whose message was mended', failure('EXECUTION_FAILED', `bad name \ud800 ${'\ud83d\ude00'.repeat(1500)}`)],
  ])('that the executor signed for its manifest: %s', async (_what, value) => {
    expect(await verifyResult(await signed(value), MANIFEST, keys)).toEqual({ ok: true, kid: 'executor-1' });
  });

  it('by the hash of the manifest as well, and of a manifest with members that are not sent', async () => {
    const subject = { task_id: 'task-1', capability_id: 'FILE_MOVE', manifest_sha256: manifestSha256(MANIFEST) };
    expect(await verifyResult(result, subject, keys)).toMatchObject({ ok: true });
    expect(await verifyResult(result, { ...MANIFEST, provenance: undefined }, keys)).toMatchObject({ ok: true });
  });

  const { signature } = result;
  const changed = (change: object): unknown => ({ ...result, ...change });
  const [header = '', raw = ''] = signature.split('..');
  const headed = (value: object): string => `${Buffer.from(JSON.stringify(value)).toString('base64url')}..${raw}`;
  it.each<[string, unknown, Partial<TaskManifest>]>([
    ['another task', result, { task_id: 'task-2' }],
    ['another capability', result, { capability_id: 'FILE_COPY' }],
    ['another manifest', result, { constraints: { reversible: true } }],
    ['a manifest without a canonical form', result, { inputs: { source_path: '\ud800' } }],
    ['changed output', changed({ output: { ...outcome.output, capability_id: 'FILE_COPY' } }), {}],
    ['success turned into failure', changed({ status: 'FAILURE', output: null, error: { error_code: 'EXECUTION_FAILED', message: 'x' } }), {}],
    ['a success with an error', changed({ error: { error_code: 'EXECUTION_FAILED', message: 'x' } }), {}],
    ['an output that was rounded', changed({ output: { n: 2 ** 53 } }), {}],
    ['an extra field', changed({ at: 1 }), {}],
    ['no signature', changed({ signature: '' }), {}],
    ['a signature that is no text', changed({ signature: { length: 90 } }), {}],
    ['another signature', changed({ signature: `${header}..${'A'.repeat(86)}` }), {}],
    ['one signature in another spelling', changed({ signature: `${signature.slice(0, -1)}${signature.endsWith('Q') ? 'R' : 'B'}` }), {}],
    ['an attached payload', changed({ signature: signature.replace('..', '.e30.') }), {}],
    ['a lease as its signature', changed({ signature: forge({ alg: 'EdDSA', kid: 'kernel-1', typ: 'writ-lease+jws' }, '{}', vectorJwk(0, 'lease', 'k')) }), {}],
    ['a key of the kernel', changed({ signature: headed({ alg: 'EdDSA', kid: 'kernel-1', typ: 'writ-result+jws' }) }), {}],
    ['a key that nobody trusts', changed({ signature: headed({ alg: 'EdDSA', kid: 'executor-9', typ: 'writ-result+jws' }) }), {}],
    ['no algorithm', changed({ signature: headed({ alg: 'none', kid: 'executor-1', typ: 'writ-result+jws' }) }), {}],
    ['a header with more in it', changed({ signature: headed({ alg: 'EdDSA', kid: 'executor-1', typ: 'writ-result+jws', jwk: trusted }) }), {}],
    ['null', null, {}],
    ['a list', [], {}],
    ['nothing', {}, {}],
  ])('and refuses %s', async (_what, value, other) => {
    expect(await verifyResult(value as ExecutionResult, { ...MANIFEST, ...other }, keys)).toEqual({ ok: false, reason: expect.any(String) });
  });

  it('and refuses a key that may not sign for the capability, occurs twice, or is none', async () => {
    const copy = { ...MANIFEST, capability_id: 'FILE_COPY' };
    const byMover = await signed(outcome, copy, createResultSigner(vectorKey(2, 'result', 'moves-only'), ed25519));
    expect(await verifyResult(byMover, copy, keys)).toEqual({ ok: false, reason: 'the key may not sign for FILE_COPY' });
    for (const wrong of [[trusted, trusted], [{ ...trusted, x: 'AA' }], [{ ...trusted, kty: 'RSA' }], [{ ...trusted, 'writ:capabilities': '*' }], []])
      expect(await verifyResult(result, MANIFEST, { keys: wrong })).toMatchObject({ ok: false });
  });

  it('and refuses one that the kernel has signed, though its key is in the document', async () => {
    const byKernel = await signed(outcome, MANIFEST, createResultSigner(vectorKey(0, 'lease', 'kernel-1'), ed25519));
    expect(await verifyResult(byKernel, MANIFEST, keys)).toEqual({ ok: false, reason: 'the key "kernel-1" is not trusted here' });
  });

  it('and says so where WebCrypto is missing, instead of calling a good answer bad', async () => {
    const whole = Object.getOwnPropertyDescriptor(globalThis, 'crypto') ?? {};
    Object.defineProperty(globalThis, 'crypto', { configurable: true, value: {} });
    try {
      await expect(verifyResult(result, MANIFEST, keys)).rejects.toThrow('WebCrypto is missing here');
    } finally {
      Object.defineProperty(globalThis, 'crypto', whole);
    }
  });
});

describe('the client verifies the end of a plan', () => {
  const id = 'ab'.repeat(32);
  const envelope = { output: { results: ['ü'.repeat(20_000)] }, error: null };

  it('that the executor signed for this plan, and no other', async () => {
    const text = await createPlanEndSigner(vectorKey(1, 'result', 'executor-1'), ed25519).signEnd(id, envelope);
    const end = JSON.parse(text) as PlanResult;
    expect(await verifyPlanResult(end, id, keys)).toEqual({ ok: true, kid: 'executor-1' });
    expect(await verifyPlanResult(end, 'cd'.repeat(32), keys)).toMatchObject({ ok: false });
    expect(await verifyPlanResult({ ...end, plan_sha256: 'cd'.repeat(32) }, 'cd'.repeat(32), keys)).toMatchObject({ ok: false });
    expect(await verifyPlanResult({ ...end, envelope: { ...end.envelope, error: { code: 'X', message: '' } } }, id, keys)).toMatchObject({ ok: false });
    expect(await verifyPlanResult({} as PlanResult, id, keys)).toMatchObject({ ok: false });
  });
});

describe('the canonical form of the client', () => {
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  it.each([[{ b: [1, 'ü', null, true], a: { '\ufb33': 1, '\u20ac': 0.1, '': 1e-7 } }], [-0], [1e21 + 0.5], [2 ** 53 - 1], [deep(32)], ['\ud83d\ude00\u2028']])(
    'is what the server writes: %j',
    (value) => {
      let expected: string | undefined;
      try {
        expected = canonicalJson(value);
      } catch {
        expected = undefined;
      }
      expect(canonicalOf(value)).toBe(expected);
    },
  );

  it.each([[2 ** 53], [Number.NaN], [undefined], ['\udc00'], [{ '\ud800': 1 }], [JSON.parse('{"__proto__":1}')], [{ constructor: 1 }], [deep(33)]])(
    'does not exist where the server refuses: %j',
    (value) => {
      expect(() => canonicalJson(value)).toThrow();
      expect(canonicalOf(value)).toBeUndefined();
    },
  );
});
