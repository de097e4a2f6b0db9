import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { type Site, startSite } from './routes-site.ts';

describe('queues over HTTP', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    await site.rig.startWorker();
  });
  afterAll(() => site[Symbol.asyncDispose]());
  const clientOf = (as: 'operate' | 'read'): WritClient => new WritClient({ baseUrl: site.url, key: site.secret(as) });

  it('a task that is pushed onto a paused queue says so while it waits, and runs when the queue is resumed', async () => {
    const { queues } = clientOf('operate');
    expect(await queues.pause('file')).toEqual({ queue: 'file', paused: true, changed: true });
    const manifest = site.manifest('held');
    const pushed = await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest }, headers: { prefer: 'wait=1' } });
    expect(pushed).toMatchObject({ status: 202, body: { queue_paused: true } });
    // Who does not wait is told nothing of it.
    expect((await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest } })).body).not.toHaveProperty('queue_paused');
    await expect(clientOf('read').tasks.result(manifest.task_id, { timeoutMs: 0 })).rejects.toThrow('the queue file is paused');
    const where = `/v1/tasks/${manifest.task_id}`;
    expect(await site.ask(where)).toMatchObject({ body: { state: 'waiting', queue: 'file', queue_paused: true } });
    expect((await queues.list()).queues.find(({ queue }) => queue === 'file')).toMatchObject({ paused: true, waiting: 1, workers: 1 });
    expect((await site.services.ready()).find(({ name }) => name === 'queues')).toEqual({ name: 'queues', ok: true, detail: 'paused: file' });

    expect(await queues.resume('file')).toEqual({ queue: 'file', paused: false, changed: true });
    expect((await site.rig.answer(manifest.task_id)).status).toBe('SUCCESS');
    expect((await site.ask(where)).body).not.toHaveProperty('queue_paused');
    expect(site.audit().filter(({ action }) => action.startsWith('queue.'))).toMatchObject([
      { action: 'queue.pause', subject: 'file', outcome: 'asked', who: 'operate', surface: 'http' },
      { action: 'queue.pause', outcome: 'done', detail: { changed: true } },
      { action: 'queue.resume', outcome: 'asked' },
      { action: 'queue.resume', outcome: 'done' },
    ]);
  });

  it('is for operators: others may look, or not even that', async () => {
    expect(await site.ask('/v1/queues', { as: 'read' })).toMatchObject({ status: 200 });
    expect(await site.ask('/v1/queues', { as: 'submit' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const as of ['read', 'submit'] as const)
      expect(await site.ask('/v1/queues/file/pause', { method: 'POST', as })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask('/v1/queues/file/pause', { method: 'POST', as: 'nobody' })).toMatchObject({ status: 401 });
    expect((await clientOf('read').queues.list()).queues.every(({ paused }) => !paused)).toBe(true);
  });

  it.each([
    ['/v1/queues/fiel/pause', 404, 'NOT_FOUND'],
    ['/v1/queues/file/empty', 400, 'INVALID_ARGUMENT'],
    [`/v1/queues/${'x'.repeat(300)}/pause`, 400, 'INVALID_ARGUMENT'],
  ])('%s is refused with a code', async (where, status, code) => {
    expect(await site.ask(where, { method: 'POST', as: 'operate' })).toMatchObject({ status, body: { code } });
  });
});
