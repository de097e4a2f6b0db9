import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifestOf } from '../../../../support/rig.ts';
import { type BoardRig, startBoardRig } from './board-rig.ts';

let board: BoardRig;
beforeAll(async () => {
  board = await startBoardRig();
  await board.startKernel();
  await board.rig.startWorker();
});
afterAll(async () => board[Symbol.asyncDispose]());

async function failed(name: string, attempts = 1) {
  const manifest = manifestOf('FILE_MOVE', join(board.rig.base, name), join(board.rig.base, `moved-${name}`));
  await board.rig.push(manifest, { attempts });
  return { manifest, jobId: `t_${manifest.task_id}` };
}

const pageOf = async (jobId: string) => (await (await board.call('GET', `/api/queues/file/${jobId}`)).json()) as { status: string; job: object };
const jobOf = async (jobId: string) => (await pageOf(jobId)).job;

async function settled(jobId: string, state: string): Promise<void> {
  await expect.poll(async () => (await pageOf(jobId)).status).toBe(state);
}

describe('retry of one job', () => {
  it('runs the task again with its whole budget and writes who asked', async () => {
    const { manifest, jobId } = await failed('one.txt', 2);
    await settled(jobId, 'failed');
    expect(await jobOf(jobId)).toMatchObject({ attempts: 2, failedReason: expect.stringMatching(/^EXECUTION_FAILED: /) });
    expect((await board.call('PUT', `/api/queues/file/${jobId}/retry`)).status).toBe(200);
    // Its second life had two tries as well.
    await settled(jobId, 'failed');
    expect(await jobOf(jobId)).toMatchObject({ attempts: 2 });
    writeFileSync(join(board.rig.base, 'one.txt'), 'x');
    const answer = await board.call('PUT', `/api/queues/file/${jobId}/retry`);
    expect([answer.status, await answer.json()]).toEqual([200, { regranted: false }]);
    expect((await board.rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
    expect(board.audit.slice(-2)).toEqual([
      { surface: 'board', who: 'olga', action: 'task.retry', subject: manifest.task_id, outcome: 'asked' },
      { surface: 'board', who: 'olga', action: 'task.retry', subject: manifest.task_id, outcome: 'done', detail: { regranted: false } },
    ]);
  });

  it('renews a lease that has expired', async () => {
    const manifest = manifestOf('FILE_MOVE', join(board.rig.base, 'late.txt'), join(board.rig.base, 'moved-late.txt'));
    const at = Math.floor(Date.now() / 1000);
    const olga = { name: 'olga', roles: new Set(['operate'] as const), via: 'key' } as const;
    await (await board.options.operate(olga).kernel()).issue([manifest], { ttlS: 60 });
    await board.rig.push(manifest, { lease: await board.rig.lease(manifest, { iat: at - 100, exp: at - 10 }) });
    await settled(`t_${manifest.task_id}`, 'failed');
    writeFileSync(join(board.rig.base, 'late.txt'), 'x');
    const answer = await board.call('PUT', `/api/queues/file/t_${manifest.task_id}/retry`);
    expect([answer.status, await answer.json()]).toEqual([200, { regranted: true }]);
    expect((await board.rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
  });

  it('runs the task of a job with an id of its own again in that very job, and so does a retry by its task', async () => {
    const queue = board.options.queues[0]?.queue;
    for (const retry of ['board', 'task'] as const) {
      const source = join(board.rig.base, `raw-${retry}.txt`);
      const manifest = manifestOf('FILE_MOVE', source, `${source}.moved`);
      const job = await queue?.add('FILE_MOVE', { v: 1, manifest, lease: await board.rig.lease(manifest) });
      const jobId = job?.id ?? '';
      await settled(jobId, 'failed');
      expect(await board.rig.enqueue.jobState(manifest.task_id)).toMatchObject({ queue: 'file', jobId, state: 'failed' });
      expect(await board.rig.enqueue.jobState(manifest.task_id, 'file', 'elsewhere')).toBeUndefined();
      writeFileSync(source, 'x');
      if (retry === 'task') expect(await board.rig.enqueue.retry(manifest.task_id)).toEqual({ kind: 'retried' });
      else expect((await board.call('PUT', `/api/queues/file/${jobId}/retry`)).status).toBe(200);
      await settled(jobId, 'completed');
      expect((await board.rig.answer(manifest.task_id)).status).toBe('SUCCESS');
    }
  });

  it('runs a job with an id of its own again whose lease was refused, under a lease that was put into it', async () => {
    const queue = board.options.queues[0]?.queue;
    const source = join(board.rig.base, 'refused.txt');
    writeFileSync(source, 'x');
    const manifest = manifestOf('FILE_MOVE', source, `${source}.moved`);
    const job = await queue?.add('FILE_MOVE', { v: 1, manifest, lease: 'no lease' });
    const jobId = job?.id ?? '';
    await settled(jobId, 'failed');
    await job?.updateData({ v: 1, manifest, lease: await board.rig.lease(manifest) });
    expect((await board.call('PUT', `/api/queues/file/${jobId}/retry`)).status).toBe(200);
    await settled(jobId, 'completed');
  });

  it('refuses what has succeeded, is unknown, or is no task, and says why where the page shows it', async () => {
    writeFileSync(join(board.rig.base, 'good.txt'), 'x');
    const { manifest, jobId } = await failed('good.txt');
    await board.rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS');
    const own = await board.options.queues[0]?.queue.add('FILE_MOVE', { v: 1, manifest: 'none' });
    const rows = [
      [`/api/queues/file/${jobId}/retry`, 409, 'WRONG_STATE', 'has succeeded'],
      ['/api/queues/file/t_nobody/retry', 404, 'NOT_FOUND', 'no task nobody is known'],
      [`/api/queues/file/${own?.id}/retry`, 409, 'WRONG_STATE', 'neither a task nor a plan'],
      ['/api/queues/file/4711/retry', 404, 'NOT_FOUND', 'no such job'],
      ['/api/queues/elsewhere/t_x/retry', 404, 'NOT_FOUND', 'There is no queue'],
      ['/api/queues/file/t_%2e%2e%2fx/retry', 400, 'INVALID_ARGUMENT', ''],
    ] as const;
    for (const [path, status, code, words] of rows) {
      const answer = await board.call('PUT', path);
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        status,
        expect.objectContaining({ code, message: expect.stringContaining(words), error: expect.any(String) }),
      ]);
    }
  });
});

describe('retry of all failed jobs', () => {
  it('retries what can be retried, counts the rest by reason, and leaves the way of it in the audit log', async () => {
    const tasks = await Promise.all(Array.from({ length: 12 }, (_, i) => failed(`bulk-${i}.txt`)));
    await Promise.all(tasks.map(({ jobId }) => settled(jobId, 'failed')));
    for (const [i] of tasks.entries()) writeFileSync(join(board.rig.base, `bulk-${i}.txt`), 'x');
    const before = board.audit.length;
    const answer = await board.call('PUT', '/api/queues/file/retry/failed');
    const said = (await answer.json()) as { retried: number; skipped: number };
    expect([answer.status, said]).toEqual([200, { retried: expect.any(Number), skipped: expect.any(Number), finished: true }]);
    expect(said.retried).toBeGreaterThanOrEqual(12);
    for (const { manifest } of tasks) expect((await board.rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
    const entries = board.audit.slice(before);
    expect(entries[0]).toMatchObject({ action: 'task.retry_all', who: 'olga', subject: 'queue file', outcome: 'asked' });
    expect(entries.at(-1)).toMatchObject({ outcome: 'done', detail: { end: 'complete', retried: said.retried, refused: said.skipped } });
  });
});
