import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { toldBy } from '../../../unit/surfaces/mcp/mcp-rig.ts';
import { type Site, startSite } from '../http/routes-site.ts';
import { inspect } from './inspector.ts';

let site: Site;
const metrics = createMetrics('api', '0.0.0-test');
/** Told when a search that lasts begins, and when its signal was aborted. */
const searches = new EventTarget();

beforeAll(async () => {
  const search = (_request: unknown, signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      searches.dispatchEvent(new Event('begun'));
      signal.addEventListener('abort', () => {
        searches.dispatchEvent(new Event('aborted'));
        reject(new Error('stopped'));
      });
    });
  site = await startSite({ contentSearch: { refusal: undefined, search }, pushMetrics: metrics });
  await site.rig.startWorker();
});
afterAll(() => site[Symbol.asyncDispose]());

type As = Parameters<Site['secret']>[0];

async function connected(
  as: As = 'operator',
): Promise<{ client: Client; call: (name: string, args?: object) => Promise<ReturnType<typeof toldBy>> } & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${site.secret(as)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers } }));
  return {
    client,
    call: async (name, args = {}) => toldBy(await client.callTool({ name, arguments: { ...args } })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const heard = (what: string): Promise<unknown> => new Promise((resolve) => searches.addEventListener(what, resolve, { once: true }));
const post = (body: unknown, headers: Record<string, string> = {}) => site.ask('/mcp', { method: 'POST', body, headers });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

describe('the MCP server over HTTP', () => {
  it('serves the client of the SDK: hello, tools, a task from its submission to its undo', async () => {
    await using mcp = await connected();
    expect(mcp.client.getServerVersion()).toMatchObject({ name: 'writ' });
    expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toContain('submit_task');
    const manifest = site.manifest('mcp-http');
    const done = await mcp.call('submit_task', { manifest, sign: true, wait_s: 20 });
    expect(done).toMatchObject({ isError: false, answer: { receipt: 'accepted', task: { state: 'success' } } });
    expect(await metrics.text()).toContain('writ_tasks_submitted_total{surface="mcp",outcome="accepted"} 1\n');
    const undone = await mcp.call('undo_task', { task_id: manifest.task_id, wait_s: 20 });
    expect(undone).toMatchObject({ isError: false, answer: { undo_of: manifest.task_id, task: { state: 'success' } } });
    expect(await mcp.call('undo_task', { task_id: manifest.task_id })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
    const asked = site.audit().filter(({ surface }) => surface === 'mcp');
    expect(asked.map(({ action, who, outcome }) => `${action} ${who} ${outcome}`)).toEqual([
      'lease.issue operator asked',
      'lease.issue operator done',
      'task.undo operator asked',
      'task.undo operator done',
      'task.undo operator asked',
      'task.undo operator refused',
    ]);
  });

  it('serves the command line of the inspector', async () => {
    const target = [`${site.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${site.secret('read')}`];
    expect(await inspect([...target, '--method', 'tools/call', '--tool-name', 'index_status'])).toMatchObject({ structuredContent: { mode: 'off' } });
  });

  it('shows a key the tools of its roles', async () => {
    await using mcp = await connected('read');
    expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'get_task',
      'list_tasks',
      'get_plan',
      'list_plans',
      'get_plan_history',
      'list_approvals',
      'list_queues',
      'list_schedules',
      'get_schedule',
      'index_status',
    ]);
    expect(await mcp.call('index_status')).toMatchObject({ isError: false, answer: { mode: 'off', indexes: [] } });
    expect(await mcp.call('submit_task', { manifest: site.manifest('no') })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
  });

  it('takes nobody without a key, nor a page of another site, nor another host name', async () => {
    const problem = async (ask: Parameters<Site['ask']>[1]) => (await site.ask('/mcp', { method: 'POST', body: initialize, ...ask })).body.code as string;
    expect(await problem({ as: 'nobody' })).toBe('UNAUTHORIZED');
    expect(await problem({ headers: { origin: 'https://evil.example' } })).toBe('ORIGIN_NOT_ALLOWED');
    await expect(new Client({ name: 'x', version: '1' }).connect(new StreamableHTTPClientTransport(new URL('/mcp', site.url)))).rejects.toThrow();
  });

  it.each([
    [[initialize], 'a batch'],
    [{ jsonrpc: '1.0', method: 'x' }, 'another version of JSON-RPC'],
    [{ jsonrpc: '2.0', result: 1 }, 'no request at all'],
    ['{', 'no JSON'],
    ['{"jsonrpc":"2.0","jsonrpc":"2.0"}', 'a key twice'],
  ])('answers %j (%s) with 400', async (body: unknown, _why: string) => {
    const reply = await post(body, typeof body === 'string' ? { 'content-type': 'application/json' } : {});
    expect({ status: reply.status, code: reply.body.code }).toEqual({ status: 400, code: 'INVALID_ARGUMENT' });
  });

  it('answers a version of the protocol that it does not speak with 400, and an unknown method in the protocol', async () => {
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
    expect((await post(list, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect(await post({ ...list, method: 'tools/burn' })).toMatchObject({ status: 200, body: { id: 7, error: { code: -32601 } } });
  });

  it('answers a batch with a list, in the version that has batches and where none is named', async () => {
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
    const heard = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, body } = await post([list, heard, { ...list, id: 'b', method: 'tools/burn' }], headers);
      const answers = body as unknown as readonly { id: unknown; result?: object; error?: { code: number } }[];
      const told = answers.map(({ id, result, error }) => [id, error?.code ?? typeof result]);
      expect({ status, told: told.sort() }).toEqual({
        status: 200,
        told: [
          [7, 'object'],
          ['b', -32601],
        ],
      });
      expect(await post([list], headers)).toMatchObject({ status: 200, body: [{ id: 7 }] });
      expect((await post([heard], headers)).status).toBe(202);
    }
    for (const wrong of [[], Array.from({ length: 101 }, (_, id) => ({ ...list, id })), [initialize, list], [list, list]])
      expect((await post(wrong)).status).toBe(400);
    expect((await post([list, { ...list, id: '7' }])).status).toBe(200);
    expect((await post([list], { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400);
  });

  it('takes a notification, and offers no stream and no session to end', async () => {
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202, text: '' });
    for (const method of ['GET', 'DELETE']) {
      const reply = await site.ask('/mcp', { method });
      expect({ status: reply.status, allow: reply.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    }
  });

  it('ends a search whose client has gone away', async () => {
    const gone = new AbortController();
    const begun = heard('begun');
    const aborted = heard('aborted');
    const search = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'Search', arguments: { pattern: 'x' } } };
    const asked = fetch(new URL('/mcp', site.url), {
      method: 'POST',
      signal: gone.signal,
      headers: { authorization: `Bearer ${site.secret('search')}`, 'content-type': 'application/json' },
      body: JSON.stringify(search),
    });
    await begun;
    gone.abort();
    await expect(asked).rejects.toThrow();
    await aborted;
  });
});
