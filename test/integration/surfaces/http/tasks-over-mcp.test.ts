import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TaskManifest } from '../../../../src/contracts/index.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { startMcp } from '../../../unit/surfaces/mcp/mcp-rig.ts';
import { type McpOverHttp, mcpOverHttp } from './mcp-client.ts';
import { type Site, startSite } from './routes-site.ts';

/** Tasks found, retried and cancelled over MCP, on the real queue, index, kernel and worker. */

let site: Site;
let mcp: McpOverHttp;
beforeAll(async () => {
  site = await startSite();
  await site.rig.startWorker();
  mcp = await mcpOverHttp(site, 'operator');
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const sourceOf = ({ inputs }: TaskManifest): string => String(inputs['source_path']);
const audited = () => site.audit().map(({ surface, action, subject, outcome }) => `${surface} ${action} ${subject} ${outcome}`);

/** A move in a folder of its own that fails, because its file is gone. */
async function failing(folder: string, name: string): Promise<TaskManifest> {
  mkdirSync(path.join(site.rig.base, folder), { recursive: true });
  const manifest = site.manifest(path.join(folder, name));
  rmSync(sourceOf(manifest));
  const { answer } = await mcp.call('submit_task', { manifest, sign: true, wait_s: 60 });
  expect(answer).toMatchObject({ task: { state: 'failure' } });
  return manifest;
}

const found = (filter: object, count: number) =>
  vi.waitFor(async () => {
    const { answer } = await mcp.call('list_tasks', { ...filter, limit: 500 });
    expect((answer as { tasks: unknown[] }).tasks).toHaveLength(count);
    return answer;
  }, PATIENCE);

describe('tasks over MCP', () => {
  it('are found by a filter, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await failing('found', name);
    const filter = { state: 'failure', path: path.join(site.rig.base, 'found') };
    await found(filter, 3);
    const first = (await mcp.call('list_tasks', { ...filter, limit: 2 })).answer as { tasks: object[]; next: string };
    expect(first.tasks).toHaveLength(2);
    const rest = (await mcp.call('list_tasks', { ...filter, limit: 2, cursor: first.next })).answer as { tasks: object[] };
    expect(rest.tasks).toMatchObject([{ state: 'failure', error_code: 'EXECUTION_FAILED' }]);
    expect(await mcp.call('list_tasks', { state: 'broken' })).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT', field: 'state' } });
  });

  it('are counted and then run again, each once, audited with filter and counts', async () => {
    const manifests = [await failing('again', 'a'), await failing('again', 'b'), await failing('again', 'c')];
    const filter = { path: path.join(site.rig.base, 'again') };
    await found({ ...filter, state: 'failure' }, 3);
    for (const manifest of manifests) writeFileSync(sourceOf(manifest), 'here');
    const counted = (await mcp.call('retry_tasks', { filter, dry_run: true })).answer as { tasks: number; rest: object };
    expect(counted).toMatchObject({ tasks: 3, retried: 0, rest: { ...filter, state: 'failure', until: expect.any(String) } });
    const some = (await mcp.call('retry_tasks', { filter: counted.rest, limit: 2 })).answer as { rest: object };
    expect(some).toMatchObject({ tasks: 2, retried: 2, refused: 0, rest: counted.rest });
    await found({ ...filter, state: 'success' }, 2);
    const others = (await mcp.call('retry_tasks', { filter: some.rest })).answer;
    expect(others).toEqual({ tasks: 1, retried: 1, refused: 0, refused_by: {}, refusals: [] });
    await found({ ...filter, state: 'success' }, 3);
    const records = site.audit().filter(({ action }) => action === 'task.retry_all');
    expect(JSON.parse(records[0]?.subject ?? '')).toEqual(counted.rest);
    expect(records).toMatchObject([
      { surface: 'mcp', who: 'operator', outcome: 'asked' },
      { outcome: 'done', detail: { page: 1, tasks: 2 } },
      { outcome: 'done', detail: { end: 'limit', tasks: 2, retried: 2, refused: 0 } },
      { outcome: 'asked' },
      { outcome: 'done', detail: { page: 1, tasks: 1 } },
      { outcome: 'done', detail: { end: 'complete', tasks: 1, retried: 1, refused: 0 } },
    ]);
  });

  it('and plans are cancelled, which their outcomes tell', async () => {
    const manifest = site.manifest('too-late');
    const { answer } = await mcp.call('submit_task', { manifest, sign: true, wait_s: 60 });
    expect(answer).toMatchObject({ task: { state: 'success' } });
    expect(await mcp.call('cancel_task', { task_id: manifest.task_id })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
    expect(await mcp.call('cancel_task', { task_id: 'nobody' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });

    const waits = site.manifest('waits');
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await mcp.call('submit_task', { manifest: waits, sign: true, not_before: later });
    expect((await mcp.call('cancel_task', { task_id: waits.task_id })).answer).toEqual({ task_id: waits.task_id, cancel: 'requested' });

    const envelope = envelopeOf([fileStep('FILE_COPY', path.join(site.rig.base, 'x'), path.join(site.rig.base, 'y'))]);
    const { plan_id: id } = (await mcp.call('submit_plan', { envelope, sign: true, not_before: later })).answer as { plan_id: string };
    const begins = new Date(Math.ceil(Date.parse(later) / 1000) * 1000).toISOString();
    expect((await mcp.call('get_plan', { plan_id: id })).answer).toMatchObject({ state: 'waiting', not_before: begins });
    const { plans } = (await site.ask('/v1/plans?state=waiting')).body as { readonly plans: readonly object[] };
    expect(plans).toContainEqual(expect.objectContaining({ plan_id: id, not_before: begins }));
    expect((await mcp.call('cancel_plan', { plan_id: id })).answer).toEqual({ plan_id: id, cancel: 'requested' });
    expect((await mcp.call('get_plan', { plan_id: id, wait_s: 60 })).answer).toMatchObject({ state: 'failure', error: { code: 'CANCELLED' } });
    expect(await mcp.call('cancel_plan', { plan_id: id })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
    expect(audited()).toEqual(
      expect.arrayContaining([
        `mcp task.cancel ${waits.task_id} done`,
        `mcp task.cancel nobody refused`,
        `mcp plan.cancel ${id} asked`,
        `mcp plan.cancel ${id} refused`,
      ]),
    );
  });

  it('are for their roles, and without an API there is no index', async () => {
    await using submitter = await mcpOverHttp(site, 'submit');
    await using reader = await mcpOverHttp(site, 'read');
    expect(await submitter.call('list_tasks', {})).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
    for (const [name, args] of Object.entries({ retry_tasks: { filter: {} }, cancel_task: { task_id: 'x' }, cancel_plan: { plan_id: 'a'.repeat(64) } }))
      expect(await reader.call(name, args)).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
    await using alone = await startMcp();
    for (const [name, args] of Object.entries({ list_tasks: {}, retry_tasks: { filter: {} } }))
      expect(await alone.call(name, args)).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE', message: expect.stringContaining('`writ tasks`') } });
  });
});
