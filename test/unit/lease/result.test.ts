import { describe, expect, it } from 'vitest';
import { ExecutionResult } from '../../../src/contracts/index.ts';
import { canonicalJson } from '../../../src/core/canonical-json.ts';
import { failure, type Outcome, success } from '../../../src/core/outcome.ts';
import { createResultSigner, fixedKeyring, verifyResult } from '../../../src/lease/index.ts';
import { ed25519, forge, LEASE, MANIFEST, vectorJwk, vectorKey } from '../../fixtures/authority/world.ts';

const key = vectorKey(1, 'result', 'executor-1');
const movesOnly = vectorKey(2, 'result', 'moves-only', ['FILE_MOVE']);
const verifier = { keyring: fixedKeyring([key, movesOnly]), ed25519 };
const signer = createResultSigner(key, ed25519);
const subject = { taskId: MANIFEST.task_id, capabilityId: MANIFEST.capability_id, manifestSha256: LEASE.manifest_sha256 };
const outcome = success({ task_id: 'task-1', capability_id: 'FILE_MOVE', result_summary: { source: '/data/a', destination: '/data/ü"b', bytes: 3 } });
const text = await signer.sign(MANIFEST, LEASE.manifest_sha256, outcome);

describe('a signed result', () => {
  it('is the canonical JSON of an ExecutionResult, the same bytes for the same outcome', { tags: ['FE-50'] }, async () => {
    expect(canonicalJson(JSON.parse(text))).toBe(text);
    expect(ExecutionResult.parse(JSON.parse(text))).toMatchObject(outcome);
    expect(await signer.sign(MANIFEST, LEASE.manifest_sha256, outcome)).toBe(text);
  });

  it.each<[string, Outcome]>([
    ['success', outcome],
    ['empty success', success({})],
    ['failure', failure('EXECUTION_FAILED', 'destination exists')],
  ])('verifies for its task: %s', async (_name, value) => {
    const signed = await signer.sign(MANIFEST, LEASE.manifest_sha256, value);
    expect(await verifyResult(signed, subject, verifier)).toMatchObject({ ok: true, result: value });
  });

  it('verifies in another key order and with white space, because content is signed', async () => {
    expect(await verifyResult(JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()), undefined, 2), subject, verifier)).toMatchObject({
      ok: true,
    });
  });

  const changed = (change: object): string => JSON.stringify({ ...JSON.parse(text), ...change });
  const signature: string = JSON.parse(text).signature;
  it.each<[string, string, Partial<typeof subject>]>([
    ['another task', text, { taskId: 'task-2' }],
    ['another capability', text, { capabilityId: 'FILE_COPY' }],
    ['another manifest', text, { manifestSha256: '0'.repeat(64) }],
    ['changed output', changed({ output: { ...outcome.output, capability_id: 'FILE_COPY' } }), {}],
    ['success turned into failure', changed({ status: 'FAILURE', output: null, error: { error_code: 'EXECUTION_FAILED', message: 'x' } }), {}],
    ['an extra field', changed({ at: 1 }), {}],
    ['no signature', changed({ signature: '' }), {}],
    ['an attached payload', changed({ signature: signature.replace('..', '.e30.') }), {}],
    [
      'a lease as its signature',
      changed({ signature: forge({ alg: 'EdDSA', kid: 'executor-1', typ: 'writ-lease+jws' }, '{}', vectorJwk(1, 'result', 'x')) }),
      {},
    ],
    ['a key twice', text.replace('{', '{"status":"SUCCESS",'), {}],
    ['no JSON', 'SUCCESS', {}],
    ['nothing', '', {}],
    ['null', 'null', {}],
    ['a bomb of brackets', '['.repeat(100_000), {}],
  ])('is refused: %s', async (_what, signed, other) => {
    expect(await verifyResult(signed, { ...subject, ...other }, verifier)).toMatchObject({ ok: false, message: expect.any(String) });
  });

  it('is refused under a key that is not trusted, or not for this capability', async () => {
    expect(await verifyResult(text, subject, { ...verifier, keyring: fixedKeyring([]) })).toMatchObject({ ok: false });
    const copy = { ...MANIFEST, capability_id: 'FILE_COPY' };
    const byMover = await createResultSigner(movesOnly, ed25519).sign(copy, LEASE.manifest_sha256, outcome);
    expect(await verifyResult(byMover, { ...subject, capabilityId: 'FILE_COPY' }, verifier)).toMatchObject({
      ok: false,
      message: expect.stringContaining('may not sign'),
    });
  });

  it('mends a message that no JSON could carry, and cuts a long one', async () => {
    const signed = await signer.sign(MANIFEST, LEASE.manifest_sha256, failure('EXECUTION_FAILED', `bad name \ud800 ${'\ud83d\ude00'.repeat(1500)}`));
    expect(await verifyResult(signed, subject, verifier)).toMatchObject({ ok: true });
    expect(JSON.parse(signed).error.message).toHaveLength(2000);
  });

  it('cannot be made of an output that is not I-JSON or too deep to be read back', async () => {
    const nested = (levels: number): Outcome => success(JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`));
    await expect(signer.sign(MANIFEST, LEASE.manifest_sha256, success({ n: 2 ** 53 }))).rejects.toMatchObject({ code: 'INVALID_MANIFEST' });
    await expect(signer.sign(MANIFEST, LEASE.manifest_sha256, nested(32))).rejects.toMatchObject({ code: 'INVALID_MANIFEST' });
    expect(await verifyResult(await signer.sign(MANIFEST, LEASE.manifest_sha256, nested(31)), subject, verifier)).toMatchObject({ ok: true });
  });
});
