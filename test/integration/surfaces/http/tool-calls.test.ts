import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskManifest } from '../../../../src/contracts/index.ts';
import { httpTool } from '../../../support/http-provider.ts';
import { manifestOf } from '../../../support/rig.ts';
import { json, type ToolServer, toolServer } from '../../../support/tool-server.ts';
import { type McpOverHttp, mcpOverHttp } from './mcp-client.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

/** Calls of a tool that are pushed as tasks of their own, on the real kernel, queue and worker. */

const registry = mkdtempSync(path.join(os.tmpdir(), 'writ-tool-calls-'));
let tool: ToolServer;
let site: Site;
let mcp: McpOverHttp;
beforeAll(async () => {
  tool = await toolServer(json(200, { ok: true }));
  mkdirSync(path.join(registry, 'config/tool-bindings'), { recursive: true });
  const { binding } = httpTool('crm.contacts', `http://127.0.0.1:${tool.port}`, { add: 'once' }, { provider: 'crm' });
  writeFileSync(path.join(registry, 'config/tool-bindings/crm.contacts.json'), JSON.stringify(binding));
  site = await startSite({ config: { plan: { registry_dir: registry } } });
  await site.rig.startWorker();
  mcp = await mcpOverHttp(site, 'operator');
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await tool[Symbol.asyncDispose]();
  rmSync(registry, { recursive: true });
});

const WAIT = { prefer: 'wait=60' };
const inputs = { tool: 'crm.contacts', operation: 'add', params: { n: 1 } };
const call = (): TaskManifest => ({ ...manifestOf('FILE_MOVE', '/a', '/b'), capability_id: 'TOOL_CALL', inputs });
const push = (query: string, body: object) => site.ask(`/v1/tasks${query}`, { method: 'POST', body, headers: WAIT });
const leaseOf = (manifest: TaskManifest, aud = 'tool-crm') => site.rig.lease(manifest, { aud });
const DONE = { status: 200, body: { state: 'success', result: { output: { data: { ok: true } } } } };

describe('a call of a tool that is pushed without a queue', () => {
  it('goes to the queue of its provider, over HTTP, whoever signs its lease', async () => {
    expect(await push('?sign=true', { manifest: call() })).toMatchObject(DONE);
    const manifest = call();
    expect(await push('', { manifest, lease: await leaseOf(manifest) })).toMatchObject(DONE);
    const { body } = await site.ask(`/v1/tasks/${manifest.task_id}`);
    expect(body).toMatchObject({ queue: 'tool-crm', state: 'success' });
  });

  it('goes there among the lines of a stream, beside tasks of other queues', async () => {
    const [signed, leased, move] = [call(), call(), site.manifest('beside')];
    const lines = [{ manifest: signed }, { manifest: leased, lease: await leaseOf(leased) }, { manifest: move }].map((line) => JSON.stringify(line));
    const reply = await site.ask('/v1/tasks?sign=true', { method: 'POST', body: lines.join('\n'), headers: { 'content-type': 'application/x-ndjson' } });
    expect(linesOf(reply.text).at(-1)).toMatchObject({ summary: { accepted: 3, rejected: 0 } });
    for (const { task_id } of [signed, leased, move]) expect((await site.rig.answer(task_id)).status).toBe('SUCCESS');
  });

  it('goes there over MCP', async () => {
    const { answer } = await mcp.call('submit_task', { manifest: call(), sign: true, wait_s: 60 });
    expect(answer).toMatchObject({ task: { state: 'success' } });
  });

  it('goes there where a producer pushes by itself, as the command line does', async () => {
    const [one, two] = [call(), call()];
    expect(await site.rig.push(one, { lease: await leaseOf(one) })).toMatchObject({ kind: 'accepted', queue: 'tool-crm' });
    const jobs = [{ v: 1 as const, manifest: two, lease: await leaseOf(two) }];
    expect(await site.rig.enqueue.pushMany(jobs)).toMatchObject([{ kind: 'accepted', queue: 'tool-crm' }]);
    for (const { task_id } of [one, two]) expect((await site.rig.answer(task_id)).status).toBe('SUCCESS');
  });
});

describe('a dry run of a call', () => {
  const dry = async (query: string, body: object) => (await site.ask(`/v1/tasks?dry_run=true${query}`, { method: 'POST', body })).body;

  it('meets what a push meets', async () => {
    const manifest = call();
    expect(await dry('&sign=true', { manifest })).toMatchObject({ would: 'run', authority: 'grantable' });
    expect(await dry('', { manifest, lease: await leaseOf(manifest) })).toMatchObject({ would: 'run', authority: 'lease' });
  });

  it.each(['file', 'tool-other'])('says as the push does that the queue %s is not the one of the lease', async (queue) => {
    const manifest = call();
    const refused = { code: 'INVALID_LEASE', field: 'lease' };
    for (const body of [{ manifest }, { manifest, lease: await leaseOf(manifest) }]) {
      const query = `queue=${queue}${'lease' in body ? '' : '&sign=true'}`;
      expect(await dry(`&${query}`, body)).toMatchObject({ would: 'refuse', authority: 'none', obstacles: [refused] });
      expect(await push(`?${query}`, body)).toMatchObject({ status: 403, body: refused });
    }
  });

  it('is refused where the lease is for a provider of another pool', async () => {
    const manifest = call();
    const body = { manifest, lease: await leaseOf(manifest, 'tool-crm@north') };
    expect(await dry('', body)).toMatchObject({ obstacles: [{ message: expect.stringContaining('tool-crm@north, not for tool-crm') }] });
  });
});
