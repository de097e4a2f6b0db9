import { describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../src/adapters/crypto/node-crypto.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, type Outcome, success } from '../../../src/core/outcome.ts';
import type { Ed25519, ResultClaim } from '../../../src/core/ports/index.ts';
import { UNPROVEN_CONFLICT_MESSAGE } from '../../../src/core/refusal.ts';
import {
  createPlanEndReader,
  createPlanEndSigner,
  createResultReader,
  createResultSigner,
  generateKey,
  type SigningKey,
  signingKey,
} from '../../../src/lease/index.ts';

const MANIFEST: TaskManifest = { task_id: 't', capability_id: 'FILE_COPY', inputs: { source_path: '/a' }, constraints: {} };
const SHA = manifestSha256(MANIFEST);
const CLAIM: ResultClaim = { taskId: 't', manifestSha256s: [SHA] };
const DONE = success({ capability_id: 'FILE_COPY', result_summary: {} });

/** A reader whose keyring the test may change, and how often it has verified. */
function reader(capabilities: readonly string[] = ['*']) {
  const key = signingKey(generateKey({ use: 'result', capabilities: [...capabilities] }));
  const trusted = new Map<string, SigningKey>([[key.kid, key]]);
  const plain = inlineEd25519(nodeEd25519());
  let verified = 0;
  const ed25519: Ed25519 = {
    ...plain,
    verify(...parts) {
      verified += 1;
      return plain.verify(...parts);
    },
  };
  const verifier = { keyring: { find: async (kid: string) => trusted.get(kid), all: async () => [...trusted.values()] }, ed25519 };
  return {
    results: createResultReader(verifier),
    ends: createPlanEndReader(verifier),
    trusted,
    key,
    verified: () => verified,
    sign: (outcome: Outcome, manifest = MANIFEST) => createResultSigner(key, plain).sign(manifest, manifestSha256(manifest), outcome),
    signEnd: (id: string) => createPlanEndSigner(key, plain).signEnd(id, { error: null }),
  };
}

describe('a reader of results', () => {
  it('reads what was signed for the task under one of the hashes, and says under which', async () => {
    const { results, sign } = reader();
    const text = await sign(DONE);
    const claims: ResultClaim[] = [CLAIM, { ...CLAIM, manifestSha256s: ['', 'f'.repeat(64), SHA] }, { ...CLAIM, capabilityId: 'FILE_COPY' }];
    for (const claim of claims) expect(await results.read(text, claim)).toMatchObject({ outcome: { status: 'SUCCESS' }, manifestSha256: SHA });
  });

  it('finds the capability of a FAILURE, which does not name it', async () => {
    const { results, sign } = reader();
    for (const capability of ['FILE_MOVE', 'SEARCH_EMAILS', 'CONTENT_SEARCH', 'TOOL_CALL']) {
      const manifest = { ...MANIFEST, capability_id: capability };
      const text = await sign(failure('EXECUTION_FAILED', 'no'), manifest);
      expect(await results.read(text, { ...CLAIM, manifestSha256s: [manifestSha256(manifest)] })).toMatchObject({ capabilityId: capability });
    }
  });

  it('reads nothing else', async () => {
    const { results, sign } = reader();
    const text = await sign(DONE);
    const changed = (change: object): string => JSON.stringify({ ...(JSON.parse(text) as object), ...change });
    const texts = [
      '',
      'null',
      '[]',
      text.slice(1),
      changed({ signature: '' }),
      changed({ status: 'FAILURE' }),
      changed({ output: {} }),
      `${text}${' '.repeat(1024 * 1024)}`,
    ];
    for (const other of texts) expect(await results.read(other, CLAIM), other.slice(0, 80)).toBeUndefined();
    const claims: ResultClaim[] = [
      { ...CLAIM, taskId: 'u' },
      { ...CLAIM, manifestSha256s: [] },
      { ...CLAIM, manifestSha256s: [''] },
      { ...CLAIM, capabilityId: 'FILE_MOVE' },
    ];
    for (const claim of claims) expect(await results.read(text, claim)).toBeUndefined();
    expect(await reader().results.read(text, CLAIM)).toBeUndefined();
    expect(await reader(['SEARCH_FILES']).results.read(text, CLAIM)).toBeUndefined();
  });

  it('keeps refusals and other outcomes apart', async () => {
    const { results, sign } = reader();
    const refusals = [
      failure('INVALID_LEASE', 'the job carries no lease'),
      failure('EXECUTION_FAILED', 'task_id already used for another manifest'),
      failure('EXECUTION_FAILED', UNPROVEN_CONFLICT_MESSAGE),
    ];
    const others = [DONE, failure('EXECUTION_FAILED', 'cancelled'), failure('INVALID_LEASE', 'the lease was revoked'), failure('LEASE_EXPIRED', 'late')];
    for (const [outcomes, refusal] of [
      [refusals, true],
      [others, false],
    ] as const) {
      for (const outcome of outcomes) {
        const text = await sign(outcome);
        expect(await results.read(text, { ...CLAIM, refusal })).toBeDefined();
        expect(await results.read(text, { ...CLAIM, refusal: !refusal })).toBeUndefined();
      }
    }
  });

  it('verifies a text once, and never a task by what was said of another', async () => {
    const { results, sign, verified } = reader();
    const text = await sign(DONE);
    for (let n = 0; n < 5; n += 1) expect(await results.read(text, CLAIM)).toBeDefined();
    expect(verified()).toBe(1);
    expect(await results.read(text, { ...CLAIM, taskId: 'u' })).toBeUndefined();
    expect(await results.read(text, { ...CLAIM, manifestSha256s: ['e'.repeat(64)] })).toBeUndefined();
    expect(verified()).toBeGreaterThan(1);
  });

  it('forgets with the key what the key has signed, and believes it again with the key', async () => {
    const { results, sign, trusted, key, ends, signEnd } = reader();
    const [text, end] = [await sign(DONE), await signEnd('plan')];
    const both = async (): Promise<boolean[]> => [(await results.read(text, CLAIM)) !== undefined, await ends.verifyEnd(end, 'plan')];
    expect(await both()).toEqual([true, true]);
    trusted.delete(key.kid);
    expect(await both()).toEqual([false, false]);
    trusted.set(key.kid, { ...key, capabilities: new Set(['SEARCH_FILES']) });
    expect(await both()).toEqual([false, false]);
    trusted.set(key.kid, key);
    expect(await both()).toEqual([true, true]);
    expect(await ends.verifyEnd(end, 'another')).toBe(false);
  });
});
