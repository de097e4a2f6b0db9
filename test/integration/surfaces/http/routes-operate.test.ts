import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BulkRetryLine, BulkRetrySummary, TaskManifest } from '../../../../src/contracts/index.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { manifestOf } from '../../../support/rig.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

const WAIT = { prefer: 'wait=60' };

describe('what operators do over HTTP', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    await site.rig.startWorker();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  /** A task that has failed because its source is missing. */
  const failing = async (name: string, changes: Partial<TaskManifest> = {}): Promise<TaskManifest> => {
    const manifest = manifestOf('FILE_MOVE', path.join(site.rig.base, name), path.join(site.rig.base, `${name}.moved`), changes);
    const reply = await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest }, headers: WAIT });
    expect(reply.body).toMatchObject({ state: 'failure' });
    return manifest;
  };
  const about = (subject: string) => site.audit().filter((entry) => entry.subject === subject && entry.action.startsWith('task.'));

  it('runs a failed task again, and answers with its outcome when asked to wait', async () => {
    const { task_id } = await failing('mended');
    site.file('mended');
    const reply = await site.ask(`/v1/tasks/${task_id}/retry`, { method: 'POST', as: 'operate', headers: WAIT });
    expect(reply).toMatchObject({ status: 200, body: { task_id, state: 'success' } });
    expect(about(task_id)).toMatchObject([
      { action: 'task.retry', outcome: 'asked', who: 'operate', surface: 'http' },
      { action: 'task.retry', outcome: 'done', detail: { regranted: false } },
    ]);
  });

  it('answers a retry with 202 when nobody waits, and renews the lease when it is told to', async () => {
    const { task_id } = await failing('renewed');
    site.file('renewed');
    const reply = await site.ask(`/v1/tasks/${task_id}/retry`, { method: 'POST', as: 'operate', body: { regrant: true } });
    expect(reply).toMatchObject({ status: 202, body: { task_id, regranted: true, location: `/v1/tasks/${task_id}` } });
    expect(about(task_id).map(({ detail }) => detail)).toEqual([{ regrant: true }, { regrant: true, regranted: true }]);
    expect((await site.rig.answer(task_id, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
  });

  it('takes back what a task did, once', async () => {
    const manifest = site.manifest('undone');
    await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest }, headers: WAIT });
    expect(existsSync(String(manifest.inputs['source_path']))).toBe(false);
    const where = `/v1/tasks/${manifest.task_id}/undo`;
    const undone = await site.ask(where, { method: 'POST', as: 'operate', headers: WAIT });
    expect(undone).toMatchObject({ status: 200, body: { state: 'success', task_id: expect.stringMatching(/^u-/) } });
    expect(readFileSync(String(manifest.inputs['source_path']), 'utf8')).toBe('undone');
    expect(await site.ask(where, { method: 'POST', as: 'operate' })).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
    expect(about(manifest.task_id).map(({ outcome }) => outcome)).toEqual(['asked', 'done', 'asked', 'refused']);
    expect(about(manifest.task_id).at(-1)?.detail).toEqual({ code: 'WRONG_STATE' });
  });

  it('refuses a cancel that comes too late', async () => {
    const done = site.manifest('done');
    await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest: done }, headers: WAIT });
    expect(await site.ask(`/v1/tasks/${done.task_id}/cancel`, { method: 'POST', as: 'operate' })).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
  });

  it('asks for a cancel with 202 while the outcome is open, and shows that it was asked', async () => {
    const manifest = site.manifest('cancelled');
    {
      await using _ = await site.paused();
      await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest } });
      const reply = await site.ask(`/v1/tasks/${manifest.task_id}/cancel`, { method: 'POST', as: 'operate' });
      expect(reply).toMatchObject({ status: 202, body: { task_id: manifest.task_id, cancel: 'requested', state: 'waiting' } });
      expect(await site.ask(`/v1/tasks/${manifest.task_id}`)).toMatchObject({ body: { state: 'waiting', cancel_requested: true } });
    }
    const answer = await site.rig.answer(manifest.task_id);
    expect(answer.error?.message).toBe('cancelled');
    expect(existsSync(String(manifest.inputs['source_path']))).toBe(true);
  });

  it.each(['retry', 'undo', 'cancel'])('%s: 404 for an unknown task, 403 without the role, 401 without a key', async (verb) => {
    const where = `/v1/tasks/unheard-of/${verb}`;
    expect(await site.ask(where, { method: 'POST', as: 'operate' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await site.ask(where, { method: 'POST', as: 'submit' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask(where, { method: 'POST', as: 'nobody' })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(await site.ask(where, { method: 'POST', as: 'operate', body: { what: 1 } })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
  });

  it('does nothing that cannot be audited', async () => {
    const { task_id } = await failing('unaudited');
    const { append } = site.services.audit;
    const audit = site.services.audit as { append: typeof append };
    audit.append = () => Promise.reject(new Error('no'));
    try {
      expect(await site.ask(`/v1/tasks/${task_id}/retry`, { method: 'POST', as: 'operate' })).toMatchObject({ status: 500 });
      expect(await site.rig.enqueue.jobState(task_id)).toMatchObject({ state: 'failed' });
    } finally {
      audit.append = append;
    }
  });

  describe('the bulk retry', () => {
    const retryAll = async (body: object) => {
      const reply = await site.ask('/v1/tasks/retry', { method: 'POST', as: 'operate', body });
      const lines = reply.status === 200 ? (linesOf(reply.text) as (BulkRetryLine | BulkRetrySummary)[]) : [];
      return { reply, lines: lines.slice(0, -1) as BulkRetryLine[], last: lines.at(-1) as BulkRetrySummary };
    };
    /** The index follows the queue's own events, a moment behind. */
    const indexed = (plan: string, count: number): Promise<void> =>
      vi.waitFor(async () => {
        const { tasks } = (await site.ask(`/v1/tasks?plan=${plan}&state=failure&limit=500`, { as: 'read' })).body;
        expect(tasks).toHaveLength(count);
      }, PATIENCE);

    it('retries what the filter finds, each task once, and is audited with its filter and counts', async () => {
      const provenance = { plan_sha256: 'a'.repeat(64) };
      const manifests = await Promise.all(['m1', 'm2', 'm3', 'm4', 'm5'].map((name) => failing(name, { provenance })));
      await failing('bystander');
      await indexed(provenance.plan_sha256, 5);
      site.file('m1');
      site.file('m2');
      const { lines, last } = await retryAll({ filter: { plan: provenance.plan_sha256 } });
      expect(last).toEqual({ summary: { tasks: 5, retried: 5, refused: 0 } });
      expect(new Set(lines.map(({ task_id }) => task_id))).toEqual(new Set(manifests.map(({ task_id }) => task_id)));
      expect((await site.rig.answer(manifests[0]?.task_id ?? '', ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
      const audit = site.audit().filter(({ action }) => action === 'task.retry_all');
      expect(audit).toMatchObject([
        { outcome: 'asked', who: 'operate', subject: JSON.stringify({ plan: provenance.plan_sha256 }) },
        { outcome: 'done', detail: { page: 1, tasks: 5, retried: 5, refused: 0 } },
        { outcome: 'done', detail: { end: 'complete', tasks: 5 } },
      ]);
    });

    it('takes no more than the limit, and tells which it could not retry', async () => {
      const provenance = { plan_sha256: 'b'.repeat(64) };
      for (const name of ['l1', 'l2', 'l3']) await failing(name, { provenance });
      await indexed(provenance.plan_sha256, 3);
      expect((await retryAll({ filter: { plan: provenance.plan_sha256, state: 'failure' }, limit: 2 })).last).toMatchObject({ summary: { tasks: 2 } });
      expect((await retryAll({ filter: { plan: 'c'.repeat(64) } })).last).toEqual({ summary: { tasks: 0, retried: 0, refused: 0 } });
    });

    it('ends when the client goes, and the audit log says so', async () => {
      const provenance = { plan_sha256: 'd'.repeat(64) };
      await failing('left', { provenance });
      await indexed(provenance.plan_sha256, 1);
      const body = JSON.stringify({ filter: { plan: provenance.plan_sha256 } });
      const { list } = site.services.index;
      const index = site.services.index as { list: typeof list };
      const request = site.stream('/v1/tasks/retry', 'operate', 'application/json').on('error', () => undefined);
      // The client goes while a page is looked up, and there are always more pages.
      index.list = async (...args) => {
        request.destroy();
        const { tasks } = await list(args[0], { limit: args[1].limit });
        return { tasks, next: 'another page' };
      };
      request.end(body);
      try {
        await vi.waitFor(() => {
          const last = site.audit().findLast(({ action, subject }) => action === 'task.retry_all' && subject.includes(provenance.plan_sha256));
          expect(last).toMatchObject({ outcome: 'refused', detail: { end: 'client gone' } });
        }, PATIENCE);
      } finally {
        index.list = list;
      }
    });

    it('is about failed tasks, for keys with the role operate', async () => {
      expect((await retryAll({ filter: { state: 'success' } })).reply).toMatchObject({
        status: 400,
        body: { code: 'INVALID_ARGUMENT', field: 'filter.state' },
      });
      expect((await retryAll({})).reply).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'filter' } });
      expect(await site.ask('/v1/tasks/retry', { method: 'POST', as: 'read', body: { filter: {} } })).toMatchObject({ status: 403 });
    });
  });
});
