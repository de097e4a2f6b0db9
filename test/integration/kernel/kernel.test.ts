import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, success } from '../../../src/core/outcome.ts';
import { authenticateLease, authorizeTimes, fixedKeyring, verifyRevocation } from '../../../src/lease/index.ts';
import { executorKey, type KernelRig, kernelKey, removeDirectory, signedResult, startKernel } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519, NOW, vectorKey } from '../../fixtures/authority/world.ts';

let rig: KernelRig;
beforeAll(async () => {
  rig = await startKernel();
});
afterAll(async () => {
  await rig.stop();
  await removeDirectory(rig.dir);
});

const keyring = fixedKeyring([kernelKey]);
let number = 0;
function move(change: Partial<TaskManifest> = {}): TaskManifest {
  number += 1;
  return {
    task_id: `t-${number}`,
    capability_id: 'FILE_MOVE',
    inputs: { source_path: `/data/${number}`, destination_path: `/data/out/${number}` },
    constraints: {},
    ...change,
  };
}
const moved = ({ inputs }: TaskManifest) =>
  success({
    result_summary: { source: String(inputs['source_path']), destination: String(inputs['destination_path']), bytes: 1 },
    undo_metadata: { original_path: String(inputs['source_path']) },
  });
const audit = (action: string) => rig.store.audit(0, 1000).filter((row) => row.action === action);

describe('issue over the socket', () => {
  it('signs a lease for exactly this manifest on its queue', async () => {
    const manifest = move();
    const { lease, exp, jti, manifestSha256: sha } = await rig.client.issueOne({ manifest });
    const expected = { manifest, manifestSha256: manifestSha256(manifest), aud: 'file', iss: 'writ-kernel' };
    expect(await authenticateLease(lease, expected, { keyring, ed25519 })).toMatchObject({
      ok: true,
      lease: { iat: NOW, exp: NOW + 3600 },
      authority: { jti, exp, kid: 'kernel-1' },
    });
    expect(sha).toBe(manifestSha256(manifest));
  });

  it('gives the lifetime that is asked, within the limits', async () => {
    expect((await rig.client.issueOne({ manifest: move() }, { ttl: 7200 })).exp).toBe(NOW + 7200);
    await expect(rig.client.issueOne({ manifest: move() }, { ttl: 7201 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'ttl' });
    await expect(rig.client.issueOne({ manifest: move() }, { ttl: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'ttl' });
  });

  it('signs a lease that counts later, which is none before and lives as long from then', async () => {
    const manifest = move();
    const later = NOW + 3600;
    const { lease, exp } = await rig.client.issueOne({ manifest }, { notBefore: later, ttl: 60 });
    const expected = { manifest, manifestSha256: manifestSha256(manifest), aud: 'file', iss: 'writ-kernel' };
    const read = await authenticateLease(lease, expected, { keyring, ed25519 });
    expect([read.ok && read.lease, exp]).toMatchObject([{ iat: later, exp: later + 60 }, later + 60]);
    const at = (seconds: number) => (read.ok ? authorizeTimes(read.lease, { now: seconds * 1000, maxTtl: 7200, isRevoked: () => false })?.code : 'unread');
    expect([at(NOW), at(later - 61), at(later), at(later + 59), at(later + 60)]).toEqual([
      'INVALID_LEASE',
      'INVALID_LEASE',
      undefined,
      undefined,
      'LEASE_EXPIRED',
    ]);
    expect((await rig.client.issueOne({ manifest: move() }, { notBefore: NOW - 500 })).exp).toBe(NOW + 3600);
    await expect(rig.client.issueOne({ manifest: move() }, { notBefore: NOW + 367 * 86_400 })).rejects.toMatchObject({ field: 'not_before' });
  });

  it('judges without signing, recording or taking the id', async () => {
    const manifest = move();
    const taken = move();
    await rig.client.issueOne({ manifest: taken });
    const asks = [manifest, { ...taken, inputs: {} }, move({ provenance: { undo_of: 'x' } }), move({ capability_id: 'FILE_MVOE' })];
    expect(await rig.client.judge(asks.map((one) => ({ manifest: one })))).toMatchObject([
      { ok: true },
      { ok: false, code: 'TASK_ID_CONFLICT' },
      { ok: false, code: 'LEASE_REFUSED', field: 'provenance.undo_of' },
      { ok: false, code: 'INVALID_MANIFEST', field: 'capability_id' },
    ]);
    expect(rig.store.issued(manifest.task_id)).toBeUndefined();
  });

  it('gives the same manifest a fresh lease, and another manifest for its id none', { tags: ['FE-37'] }, async () => {
    const manifest = move();
    const [first, second] = [await rig.client.issueOne({ manifest }), await rig.client.issueOne({ manifest })];
    expect(second.jti).not.toBe(first.jti);
    await expect(rig.client.issueOne({ manifest: { ...manifest, inputs: {} } })).rejects.toMatchObject({ code: 'TASK_ID_CONFLICT', field: 'task_id' });
    expect(rig.store.issued(manifest.task_id)).toMatchObject({ manifestSha256: first.manifestSha256, jti: second.jti });
  });

  it('answers every manifest of a batch on its own', async () => {
    const [a, b] = [move(), move()];
    const answers = await rig.client.issue([
      { manifest: a },
      { manifest: { ...b, task_id: '../x' } },
      { manifest: { ...a, inputs: {} } },
      { manifest: a },
      { manifest: move({ capability_id: 'SEARCH_FILES' }) },
      { manifest: move({ provenance: { undo_of: 't-1' } }) },
      { manifest: move({ constraints: { scope: '/other' } }) },
      { manifest: move({ constraints: { hrc_required: true } }) },
    ]);
    expect(answers.map((answer) => (answer.ok ? 'lease' : `${answer.code} ${answer.field ?? ''}`))).toEqual([
      'lease',
      'INVALID_MANIFEST task_id',
      'TASK_ID_CONFLICT task_id',
      'lease',
      'LEASE_REFUSED capability_id',
      'LEASE_REFUSED provenance.undo_of',
      'LEASE_REFUSED inputs.source_path',
      'HRC_REQUIRED constraints.hrc_required',
    ]);
  });

  it('signs 500 manifests in one call and refuses 501', async () => {
    const batch = Array.from({ length: 500 }, () => ({ manifest: move() }));
    const answers = await rig.client.issue(batch);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(500);
    await expect(rig.client.issue([...batch, { manifest: move() }])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'tasks' });
  });

  it('signs the leases of one call together, without what was refused, and a single one by itself', async () => {
    const taken = move();
    await rig.client.issueOne({ manifest: taken });
    const manifests = [move(), { ...taken, inputs: {} }, move(), move({ task_id: '../x' }), move()];
    const answers = await rig.client.issue(manifests.map((manifest) => ({ manifest })));
    expect(answers.map((answer) => (answer.ok ? 'granted' : answer.code))).toEqual(['granted', 'TASK_ID_CONFLICT', 'granted', 'INVALID_MANIFEST', 'granted']);
    const leases = answers.flatMap((answer, at) => (answer.ok ? [{ lease: answer.lease, manifest: manifests[at] ?? taken }] : []));
    expect(new Set(leases.map(({ lease }) => lease.split('.')[3])).size).toBe(1);
    expect(leases.map(({ lease }) => Buffer.from(lease.split('.')[2] ?? '', 'base64url').readUInt16BE(0))).toEqual([3, 3, 3]);
    for (const { lease, manifest } of leases) {
      const expected = { manifest, manifestSha256: manifestSha256(manifest), aud: 'file', iss: 'writ-kernel' };
      expect(await authenticateLease(lease, expected, { keyring, ed25519 })).toMatchObject({ ok: true });
    }
    const { lease } = await rig.client.issueOne({ manifest: move() });
    expect(lease.split('.')).toHaveLength(3);
    expect(await rig.client.revoke({ lease: leases[0]?.lease ?? '' })).toMatchObject({ published: true });
  });

  it('signs each lease by itself where the settings want it', async () => {
    const apart = await startKernel({ bundles: false });
    const answers = await apart.client.issue([{ manifest: move() }, { manifest: move() }]);
    expect(answers.map((answer) => (answer.ok ? answer.lease.split('.').length : answer.code))).toEqual([3, 3]);
    await apart.stop();
    await removeDirectory(apart.dir);
  });

  it('keeps the manifest itself for a later undo', async () => {
    const manifest = move();
    await rig.client.issueOne({ manifest });
    expect(await rig.client.leasedManifest(manifest.task_id)).toEqual(manifest);
    expect(await rig.client.leasedManifest('never-leased')).toBeUndefined();
  });

  it('keeps one manifest per id when many callers race for it', async () => {
    const manifest = move();
    const rivals = Array.from({ length: 20 }, (_, index) => ({ ...manifest, inputs: { source_path: `/data/${index % 2}` } }));
    const answers = (await Promise.all(rivals.map((rival) => rig.client.issue([{ manifest: rival }])))).flat();
    const winners = new Set(answers.flatMap((answer) => (answer.ok ? [answer.manifestSha256] : [])));
    expect(winners.size).toBe(1);
    expect(answers.filter((answer) => !answer.ok && answer.code === 'TASK_ID_CONFLICT')).toHaveLength(10);
  });

  it('asks for a person where the manifest does, and writes down who it was', async () => {
    const manifest = move({ constraints: { hrc_required: true } });
    await expect(rig.client.issueOne({ manifest })).rejects.toMatchObject({ code: 'HRC_REQUIRED' });
    const { jti } = await rig.client.issueOne({ manifest, confirmedBy: 'ada' }, { by: 'api-key-1' });
    expect(audit('confirm')).toEqual([
      expect.objectContaining({
        taskId: manifest.task_id,
        jti,
        by: 'api-key-1',
        at: NOW * 1000,
        details: { confirmed_by: 'ada', manifest_sha256: manifestSha256(manifest) },
      }),
    ]);
    // The confirmation was for these bytes, so a second lease needs no second one.
    await expect(rig.client.issueOne({ manifest })).resolves.toMatchObject({ taskId: manifest.task_id });
    await expect(rig.client.issueOne({ manifest: { ...manifest, inputs: {} }, confirmedBy: 'ada' })).rejects.toMatchObject({ code: 'TASK_ID_CONFLICT' });
    expect(audit('confirm')).toHaveLength(1);
  });
});

describe('undo over the socket', () => {
  it('computes the manifest itself, leases it, and writes it down', { tags: ['FE-28'] }, async () => {
    const manifest = move();
    await rig.client.issueOne({ manifest });
    const undo = await rig.client.undo({ manifest, result: await signedResult(manifest, moved(manifest)), earlierUndos: 0 }, { by: 'ops' });
    expect(undo.manifest).toMatchObject({
      inputs: { source_path: manifest.inputs['destination_path'], destination_path: manifest.inputs['source_path'] },
      provenance: { undo_of: manifest.task_id },
    });
    const expected = { manifest: undo.manifest, manifestSha256: manifestSha256(undo.manifest), aud: 'file', iss: 'writ-kernel' };
    expect(await authenticateLease(undo.lease, expected, { keyring, ed25519 })).toMatchObject({ ok: true });
    expect(audit('undo').at(-1)).toMatchObject({ taskId: undo.taskId, jti: undo.jti, by: 'ops', details: { undo_of: manifest.task_id, earlier_undos: 0 } });

    const redo = await rig.client.undo({ manifest: undo.manifest, result: await signedResult(undo.manifest, moved(undo.manifest)), earlierUndos: 0 });
    expect(redo.manifest.inputs).toEqual(manifest.inputs);
  });

  it('refuses failures, copies and foreign results', async () => {
    const [manifest, copy] = [move(), move({ capability_id: 'FILE_COPY' })];
    await rig.client.issue([{ manifest }, { manifest: copy }]);
    await expect(rig.client.undo({ manifest, result: await signedResult(manifest, failure('EXECUTION_FAILED', 'x')), earlierUndos: 0 })).rejects.toMatchObject({
      code: 'WRONG_STATE',
    });
    await expect(rig.client.undo({ manifest: copy, result: await signedResult(copy, moved(copy)), earlierUndos: 0 })).rejects.toMatchObject({
      code: 'WRONG_STATE',
    });
    await expect(rig.client.undo({ manifest, result: await signedResult(copy, moved(copy)), earlierUndos: 0 })).rejects.toMatchObject({
      code: 'INVALID_RESULT',
    });
    await expect(rig.client.undo({ manifest, result: await signedResult(manifest, moved(copy)), earlierUndos: 0 })).rejects.toMatchObject({
      code: 'INVALID_RESULT',
    });
    await expect(rig.client.undo({ manifest, result: '', earlierUndos: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'earlier_undos' });
  });
});

describe('revoke over the socket', () => {
  it('signs numbered entries, publishes them, and answers a second time with the first', async () => {
    const { lease, jti, exp } = await rig.client.issueOne({ manifest: move() });
    const first = await rig.client.revoke({ lease, by: 'ops' });
    expect(first).toEqual({ n: rig.feed.log.length, jti, published: true });
    expect(await verifyRevocation(rig.feed.log.at(-1) ?? '', { keyring, ed25519 })).toEqual({ ok: true, entry: { v: 1, n: first.n, jti, exp, at: NOW } });
    expect(await rig.client.revoke({ jti, exp })).toEqual(first);
    expect(await rig.client.revoke({ jti: 'other', exp })).toMatchObject({ n: first.n + 1 });
    expect(audit('revoke').find((row) => row.jti === jti)).toMatchObject({ by: 'ops', details: { n: first.n, exp } });
  });

  it('gives concurrent calls numbers without gaps', async () => {
    const before = rig.feed.log.length;
    const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => rig.client.revoke({ jti: `many-${index}`, exp: NOW + 10 })));
    expect(answers.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, index) => before + 1 + index));
    expect(rig.feed.log).toHaveLength(before + 25);
  });

  it('refuses a lease that this kernel did not sign', async () => {
    await expect(rig.client.revoke({ lease: 'a.b.c' })).rejects.toMatchObject({ code: 'INVALID_LEASE' });
  });
});

describe('keys and health over the socket', () => {
  it('serve the public keys and tell the state of the revocation log', async () => {
    expect(await rig.client.keys()).toEqual({
      keys: [expect.objectContaining({ kid: 'kernel-1', crv: 'Ed25519', 'writ:use': 'lease', 'writ:capabilities': ['*'] })],
    });
    expect(JSON.stringify(await rig.client.keys())).not.toContain('"d"');
    expect(await rig.client.health()).toEqual({ issuer: 'writ-kernel', kid: 'kernel-1', revocations: { number: rig.feed.log.length, published: true } });
  });

  it('a key that may not sign a capability leases none of it', async () => {
    const other = await startKernel({ key: vectorKey(0, 'lease', 'kernel-1', ['FILE_COPY']) });
    await expect(other.client.issueOne({ manifest: move() })).rejects.toMatchObject({ code: 'LEASE_REFUSED', field: 'capability_id' });
    await other.stop();
    await removeDirectory(other.dir);
    expect(executorKey.use).toBe('result');
  });
});
