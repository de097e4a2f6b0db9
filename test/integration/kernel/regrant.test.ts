import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure, success } from '../../../src/core/outcome.ts';
import { authenticateLease, fixedKeyring } from '../../../src/lease/index.ts';
import { type KernelRig, kernelKey, removeDirectory, signedResult, startKernel } from '../../fixtures/authority/kernel-rig.ts';
import { ed25519 } from '../../fixtures/authority/world.ts';

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

describe('regrant over the socket', () => {
  it('gives a failed task a new lease, and writes it down', async () => {
    const manifest = move();
    const first = await rig.client.issueOne({ manifest });
    const result = await signedResult(manifest, failure('LEASE_EXPIRED', 'the lease expired'));
    const again = await rig.client.regrant({ manifest, result }, { by: 'ops' });
    expect(again).toMatchObject({ taskId: manifest.task_id, manifestSha256: first.manifestSha256 });
    expect(again.jti).not.toBe(first.jti);
    expect(audit('regrant').at(-1)).toMatchObject({ taskId: manifest.task_id, jti: again.jti, by: 'ops', details: { failed_with: 'LEASE_EXPIRED' } });
  });

  it('refuses without an executor-signed failure of exactly this manifest', async () => {
    const [manifest, other] = [move(), move()];
    await rig.client.issue([{ manifest }, { manifest: other }]);
    const failed = failure('EXECUTION_FAILED', 'x');
    const result = await signedResult(manifest, failed);
    const refusals: [string, object][] = [
      ['INVALID_RESULT', { manifest: other, result }],
      ['INVALID_RESULT', { manifest, result: result.replace('"x"', '"y"') }],
      ['INVALID_RESULT', { manifest, result: 'FAILURE' }],
      ['WRONG_STATE', { manifest, result: await signedResult(manifest, moved(manifest)) }],
      ['LEASE_REFUSED', { manifest, result: await signedResult(manifest, failure('INVALID_LEASE', 'revoked')) }],
      ['TASK_ID_CONFLICT', { manifest: { ...manifest, inputs: {} }, result }],
      ['INVALID_MANIFEST', { manifest: 'no', result }],
    ];
    for (const [code, request] of refusals) {
      await expect(rig.client.regrant({ manifest: undefined, result: '', ...request })).rejects.toMatchObject({ code });
    }
  });

  it('answers many as it answers each, and signs what it grants together', async () => {
    const [good, other, unknown, revoked] = [move(), move(), move(), move()];
    await rig.client.issue([{ manifest: good }, { manifest: other }]);
    await rig.client.revoke({ lease: (await rig.client.issueOne({ manifest: revoked })).lease });
    const failed = (manifest: TaskManifest) => signedResult(manifest, failure('EXECUTION_FAILED', 'x'));
    const requests = [
      { manifest: good, result: await failed(good) },
      { manifest: other, result: await failed(good) },
      { manifest: unknown, result: await failed(unknown) },
      { manifest: other, result: await failed(other) },
      { manifest: revoked, result: await failed(revoked) },
      { manifest: good, result: await signedResult(good, moved(good)) },
      { manifest: 'no', result: '' },
    ];
    const alone: unknown[] = [];
    for (const request of requests) {
      alone.push(
        await rig.client.regrant(request).then(
          () => ({ ok: true }),
          ({ code, message, field }) => ({ ok: false, code, message, ...(field && { field }) }),
        ),
      );
    }
    const before = audit('regrant').length;
    const answers = await rig.client.regrantMany(requests, { by: 'ops' });
    expect(answers).toMatchObject(alone);
    expect(
      audit('regrant')
        .slice(before)
        .map(({ taskId, by, jti }) => [taskId, by, jti]),
    ).toEqual(answers.flatMap((answer) => (answer.ok ? [[answer.taskId, 'ops', answer.jti]] : [])));
    for (const [at, manifest] of [good, undefined, undefined, other].entries()) {
      const answer = answers[at];
      if (manifest === undefined || !answer?.ok) continue;
      const expected = { manifest, manifestSha256: manifestSha256(manifest), aud: 'file', iss: 'writ-kernel' };
      expect(await authenticateLease(answer.lease, expected, { keyring, ed25519 })).toMatchObject({ ok: true });
    }
    await expect(rig.client.regrantMany(Array.from({ length: 501 }, () => requests[0] ?? { manifest: good, result: '' }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('is not tricked by the signed refusal of a forged job', async () => {
    // A worker answers a forged lease with a signed FAILURE; it shows that somebody asked, not that anybody allowed.
    const manifest = move({ provenance: { undo_of: 't-1' } });
    const result = await signedResult(manifest, failure('EXECUTION_FAILED', 'x'));
    await expect(rig.client.regrant({ manifest, result })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(rig.client.undo({ manifest, result: await signedResult(manifest, moved(manifest)), earlierUndos: 0 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('refuses a task whose lease was revoked', async () => {
    const manifest = move();
    const { lease } = await rig.client.issueOne({ manifest });
    await rig.client.revoke({ lease });
    const result = await signedResult(manifest, failure('EXECUTION_FAILED', 'x'));
    await expect(rig.client.regrant({ manifest, result })).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
  });
});
