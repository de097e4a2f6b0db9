import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { JobsOptions } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInProcessJournal } from '../../../src/adapters/sqlite/journal/journal-in-process.ts';
import type { TaskManifest } from '../../../src/contracts/index.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { failure } from '../../../src/core/outcome.ts';
import { PATIENCE } from '../../support/patience.ts';
import { type RawEnd, type RawProducer, startRawProducer } from '../../support/raw-producer.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

let rig: Rig;
let raw: RawProducer;

beforeAll(async () => {
  rig = await startRig({ logLevel: process.env['RIG_LOG'] ?? 'silent' });
  await rig.startWorker();
  raw = await startRawProducer(rig, 'file');
});
afterAll(async () => {
  await raw.close();
  await rig.stop();
});

/** A file of its own folder, with random content. */
function file(name = 'a.txt'): { path: string; content: string; sibling: (name: string) => string } {
  const folder = join(rig.base, randomUUID());
  mkdirSync(folder);
  const content = randomUUID();
  writeFileSync(join(folder, name), content);
  return { path: join(folder, name), content, sibling: (other) => join(folder, other) };
}

const addRaw = (data: unknown, options?: JobsOptions): Promise<RawEnd> => raw.add(data, options);

const move = (): { manifest: TaskManifest; from: ReturnType<typeof file>; to: string } => {
  const from = file();
  const to = from.sibling('b.txt');
  return { manifest: manifestOf('FILE_MOVE', from.path, to), from, to };
};

/** What a worker leaves that was killed between closing a doubtful attempt in the journal and recording it in the ledger. */
async function doubtfulEnd(manifest: TaskManifest, source: string, destination: string): Promise<{ result: string }> {
  const result = await rig.sign(manifest, failure('EXECUTION_FAILED', 'outcome unknown'));
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(source, { bigint: true });
  const at = (file: string): { base: string; segments: string[] } => ({ base: 'main', segments: relative(rig.base, file).split('/') });
  const journal = createInProcessJournal({ file: rig.places.journal });
  await journal.start();
  await journal.open(
    {
      taskId: manifest.task_id,
      manifestSha256: manifestSha256(manifest),
      authority: { jti: 'spent', exp: 4_000_000_000, kid: 'k' },
      process: { instance: 'gone', pid: 1, startTime: '1' },
      operation: 'move',
      method: 'rename',
      source: at(source),
      destination: at(destination),
      sourceIdentity: { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` },
      temporary: undefined,
      retired: undefined,
      undoOf: undefined,
    },
    undefined,
    Date.now(),
  );
  await journal.close(manifest.task_id, 1, { state: 'failure', result, doubtful: true }, Date.now());
  await journal.stop();
  return { result };
}

async function moved(): Promise<ReturnType<typeof move>> {
  const task = move();
  await rig.push(task.manifest);
  await rig.answer(task.manifest.task_id, ({ status }) => status === 'SUCCESS');
  return task;
}

describe('a leased task, from the queue to its signed result', () => {
  it('moves a file and answers with a structured, signed result', { tags: ['FE-01', 'FE-03', 'FE-46', 'FE-47', 'FE-48'] }, async () => {
    const { manifest, from, to } = move();
    expect(await rig.push(manifest)).toMatchObject({ kind: 'accepted', queue: 'file', jobId: `t_${manifest.task_id}` });
    const result = await rig.answer(manifest.task_id);
    expect(result).toMatchObject({
      status: 'SUCCESS',
      output: {
        task_id: manifest.task_id,
        capability_id: 'FILE_MOVE',
        result_summary: { source: from.path, destination: to, bytes: from.content.length },
        undo_metadata: { original_path: from.path },
      },
    });
    expect(await rig.verify(manifest, JSON.stringify(result))).toBe(true);
    expect(existsSync(from.path)).toBe(false);
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });

  it('answers a finished task again with the same bytes, whatever its lease says by now', { tags: ['FE-37', 'FE-38', 'FE-39'] }, async () => {
    const { manifest, from } = await moved();
    const first = (await rig.ledger.row(manifest.task_id))?.result;
    writeFileSync(from.path, 'created again');
    await raw.queue.obliterate({ force: true });
    const expired = await rig.lease(manifest, { iat: 1_000, exp: 1_001 });
    expect(await addRaw({ v: 1, manifest, lease: expired })).toEqual({ returned: expect.objectContaining({ status: 'SUCCESS' }) });
    expect((await rig.ledger.row(manifest.task_id))?.result).toBe(first);
    expect(readFileSync(from.path, 'utf8')).toBe('created again');
    expect(await rig.push(manifest)).toMatchObject({ kind: 'finished', result: first });
  });

  it('refuses a used id with other bytes and leaves the recorded answer alone', async () => {
    const { manifest, from } = await moved();
    const other = { ...manifest, inputs: { ...manifest.inputs, destination_path: from.sibling('c.txt') } };
    expect(await rig.push(other)).toMatchObject({ kind: 'conflict' });
    expect(await addRaw({ v: 1, manifest: other, lease: await rig.lease(other) })).toEqual({
      failed: 'EXECUTION_FAILED: task_id already used for another manifest',
    });
    expect((await rig.ledger.row(manifest.task_id))?.manifestSha256).toBe(manifestSha256(manifest));
  });

  it('records LEASE_EXPIRED, and runs the task when it is pushed again with a living lease', { tags: ['FE-42', 'FE-51'] }, async () => {
    const { manifest, to } = move();
    await rig.push(manifest, { lease: await rig.lease(manifest, { iat: 1_000, exp: 1_001 }) });
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'FAILURE', error: { error_code: 'LEASE_EXPIRED' } });
    expect(existsSync(to)).toBe(false);
    expect(await rig.push(manifest)).toMatchObject({ kind: 'retried' });
    expect(await rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).toMatchObject({ status: 'SUCCESS' });
  });

  it('answers a forged, missing or misdirected lease under the refused key and touches nothing', { tags: ['FE-41', 'FE-51'] }, async () => {
    const { manifest, from } = move();
    const good = await rig.lease(manifest);
    const leases = [
      undefined,
      '',
      `${good.slice(0, -4)}AAAA`,
      await rig.lease(manifest, { aud: 'file@elsewhere' }),
      await rig.lease(manifest, { iss: 'somebody' }),
    ];
    for (const lease of leases) {
      const job = await raw.queue.add('raw', { v: 1, manifest, ...(lease === undefined ? {} : { lease }) });
      await expect(job.waitUntilFinished(raw.events, 15_000)).rejects.toThrow(/^INVALID_LEASE: /);
      const refusal = await rig.ledger.refusal(manifest.task_id, `file:${job.id}`);
      expect(JSON.parse(refusal ?? '{}')).toMatchObject({ status: 'FAILURE', error: { error_code: 'INVALID_LEASE' } });
      expect(await rig.verify(manifest, refusal ?? '')).toBe(true);
    }
    expect(await rig.ledger.row(manifest.task_id)).toBeUndefined();
    expect(readFileSync(from.path, 'utf8')).toBe(from.content);
  });

  it('honours a revocation that was published before the task was claimed', async () => {
    const { manifest, from } = move();
    await rig.revoke('revoked-1', 1);
    await rig.push(manifest, { lease: await rig.lease(manifest, { jti: 'revoked-1' }) });
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'FAILURE', error: { error_code: 'INVALID_LEASE', message: 'the lease was revoked' } });
    expect(existsSync(from.path)).toBe(true);
  });

  it('answers an unknown capability with UNSUPPORTED_CAPABILITY', { tags: ['FE-06', 'FE-40'] }, async () => {
    for (const capability of ['FILE_WRITE', 'file_move', 'NOOP']) {
      const manifest = manifestOf(capability, file().path);
      await rig.push(manifest);
      expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'FAILURE', error: { error_code: 'UNSUPPORTED_CAPABILITY' } });
    }
  });

  it('fails what is not a contract with INVALID_MANIFEST, the field and a sentence, and records nothing', async () => {
    const { manifest } = move();
    const lease = await rig.lease(manifest);
    expect(await addRaw({ v: 1, manifest: { ...manifest, task_id: '../x' }, lease })).toEqual({
      failed: expect.stringMatching(/^INVALID_MANIFEST: manifest\.task_id: must be/),
    });
    expect(await addRaw({ v: 1, manifest: { ...manifest, surprise: 1 }, lease })).toEqual({
      failed: expect.stringMatching(/^INVALID_MANIFEST: manifest\.surprise: is not known here/),
    });
    expect(await addRaw({ v: 2, manifest, lease })).toEqual({ failed: expect.stringMatching(/^INVALID_MANIFEST: v: /) });
    expect(await addRaw('text')).toEqual({ failed: expect.stringMatching(/^INVALID_MANIFEST: job: /) });
    expect(await rig.ledger.row(manifest.task_id)).toBeUndefined();
  });

  it('refuses a task that was cancelled before it was claimed, and runs it after a retry', async () => {
    const { manifest, to } = move();
    expect(await rig.ledger.cancel(manifest.task_id, Date.now())).toBe('requested');
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest) })).toEqual({ failed: 'EXECUTION_FAILED: cancelled' });
    expect(existsSync(to)).toBe(false);
    await rig.push(manifest);
    await rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS');
    expect(await rig.ledger.cancel(manifest.task_id, Date.now())).toBe('done');
  });

  it('runs one of two jobs of the same task and answers both the same', async () => {
    const { manifest, from, to } = move();
    const lease = await rig.lease(manifest);
    const both = await Promise.all([addRaw({ v: 1, manifest, lease }), addRaw({ v: 1, manifest, lease })]);
    expect(both[0]).toEqual(both[1]);
    expect(both[0]).toEqual({ returned: expect.objectContaining({ status: 'SUCCESS' }) });
    expect(existsSync(from.path)).toBe(false);
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });

  it('uses the attempts that the producer asked for, and keeps the last outcome', async () => {
    const { manifest, from, to } = move();
    writeFileSync(to, 'in the way');
    await rig.push(manifest, { attempts: 2 });
    expect(await rig.answer(manifest.task_id)).toMatchObject({ status: 'FAILURE', error: { error_code: 'EXECUTION_FAILED' } });
    expect(readFileSync(to, 'utf8')).toBe('in the way');
    rmSync(to);
    expect(await rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).toMatchObject({ status: 'SUCCESS' });
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });

  it('heeds a cancel for good that was asked before the first of many attempts, or between two of them', async () => {
    const early = move();
    expect(await rig.ledger.cancel(early.manifest.task_id, Date.now())).toBe('requested');
    const raw = { v: 1, manifest: early.manifest, lease: await rig.lease(early.manifest) };
    expect(await addRaw(raw, { attempts: 5, backoff: 1 })).toEqual({ failed: 'EXECUTION_FAILED: cancelled' });

    const { manifest, to } = move();
    writeFileSync(to, 'in the way');
    // A pause that nobody waits for, until the cancel is there.
    await rig.push(manifest, { attempts: 5 });
    await rig.answer(manifest.task_id, ({ status }) => status === 'FAILURE');
    expect(await rig.ledger.cancel(manifest.task_id, Date.now())).toBe('requested');
    rmSync(to);
    expect(await rig.answer(manifest.task_id, ({ error }) => error?.message === 'cancelled')).toMatchObject({ status: 'FAILURE' });
    await expect.poll(async () => (await rig.enqueue.jobState(manifest.task_id))?.state, PATIENCE).toBe('failed');
    expect([existsSync(early.to), existsSync(to)]).toEqual([false, false]);
  });

  it('answers from the journal after Redis has lost everything, and does nothing again', { tags: ['FE-39'] }, async () => {
    const { manifest, from, to } = await moved();
    const first = (await rig.ledger.row(manifest.task_id))?.result;
    await rig.redis.flushAll();
    writeFileSync(from.path, 'created again');
    await rig.push(manifest);
    await rig.answer(manifest.task_id);
    expect((await rig.ledger.row(manifest.task_id))?.result).toBe(first);
    expect(readFileSync(from.path, 'utf8')).toBe('created again');
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });

  it('answers a doubtful end again under its lease, and tries once more only under a new one', { tags: ['FE-39'] }, async () => {
    const { manifest, from, to } = move();
    const lease = await rig.lease(manifest, { jti: 'spent' });
    const { result } = await doubtfulEnd(manifest, from.path, to);
    expect(await addRaw({ v: 1, manifest, lease })).toEqual({ failed: 'EXECUTION_FAILED: outcome unknown' });
    expect((await rig.ledger.row(manifest.task_id))?.result).toBe(result);
    expect(readFileSync(from.path, 'utf8')).toBe(from.content);
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest) })).toEqual({ returned: expect.objectContaining({ status: 'SUCCESS' }) });
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });

  it('does not believe a forged SUCCESS in the ledger', async () => {
    const { manifest, from, to } = move();
    const forged = JSON.stringify({ status: 'SUCCESS', output: {}, error: null, signature: 'a..b' });
    await rig.ledger.restore([{ taskId: manifest.task_id, manifestSha256: manifestSha256(manifest), result: forged, exp: 4_000_000_000 }], Date.now());
    expect(await addRaw({ v: 1, manifest, lease: await rig.lease(manifest) })).toEqual({ returned: expect.objectContaining({ status: 'SUCCESS' }) });
    expect(readFileSync(to, 'utf8')).toBe(from.content);
  });
});
