import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { OpenTool } from '../../../src/adapters/http-tool/index.ts';
import { createMcpTool } from '../../../src/adapters/mcp/index.ts';
import { McpBinding } from '../../../src/contracts/index.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolAnswer } from '../../../src/core/ports/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { EVERYTHING, ended, everythingOverHttp } from '../../support/everything.ts';
import { patient } from '../../support/patience.ts';
import { freePorts } from '../../support/ports.ts';
import { json, type Seen, toolServer } from '../../support/tool-server.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'writ-mcp-'));
const open: OpenTool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((tool) => tool.close()));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Actions = Record<string, { effect?: 'none' | 'idempotent' | 'once'; name?: string }>;

function tool(mcp: object, actions: Actions, environment: Record<string, string> = {}): OpenTool {
  const made = createMcpTool(McpBinding.parse({ tool: 't', adapter: 'mcp', mcp, actions }), { environment: (name) => environment[name] });
  open.push(made);
  return made;
}

async function call(
  { tool: { adapter } }: OpenTool,
  operation: string,
  params: JsonObject = {},
  signal = new AbortController().signal,
): Promise<ToolAnswer | { kind: 'unfit' | 'unavailable'; message: string }> {
  const prepared = await adapter.prepare({ taskId: 'task-1', operation, params }, signal);
  return prepared.kind === 'ready' ? prepared.send(signal) : prepared;
}

const EVERY: Actions = {
  echo: {},
  sum: { name: 'get-sum', effect: 'none' },
  structured: { name: 'get-structured-content' },
  env: { name: 'get-env' },
  long: { name: 'trigger-long-running-operation' },
  missing: { name: 'no-such-tool' },
};

describe.each(['stdio', 'streamable HTTP'])('the public server of npm over %s', (kind) => {
  const stops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  async function everything(): Promise<OpenTool> {
    if (kind === 'stdio') return tool({ command: process.execPath, args: [EVERYTHING, 'stdio'] }, EVERY);
    const [port = 0] = await freePorts(1);
    const server = await everythingOverHttp(port);
    stops.push(() => ended(server));
    return tool({ url: `http://127.0.0.1:${port}/mcp`, allow: ['127.0.0.1'] }, EVERY);
  }

  it('answers with content and structured content, many at a time over one session, and says what it cannot do', async () => {
    const server = await everything();
    expect(await call(server, 'echo', { message: 'hello' })).toEqual({ kind: 'ok', data: { content: [{ type: 'text', text: 'Echo: hello' }] } });
    const structured = await call(server, 'structured', { location: 'New York' });
    expect(structured).toMatchObject({ kind: 'ok', data: { structuredContent: expect.any(Object) } });
    const sums = await Promise.all([...Array(20).keys()].map((n) => call(server, 'sum', { a: n, b: 1 })));
    for (const [n, sum] of sums.entries()) expect(JSON.stringify(sum)).toContain(`is ${n + 1}`);
    expect(await call(server, 'echo', { nothing: 1 })).toMatchObject({ kind: 'failed' });
    expect(await call(server, 'missing')).toMatchObject({ kind: 'failed' });
    expect(await call(server, 'other')).toMatchObject({ kind: 'unavailable' });
    const slow = call(server, 'long', { duration: 30, steps: 30 }, AbortSignal.timeout(patient(300)));
    expect(await slow).toMatchObject({ kind: 'unclear' });
    expect(await call(server, 'echo', { message: 'again' })).toMatchObject({ kind: 'ok' });
  });
});

describe('a server process', () => {
  let n = 0;
  function odd(actions: Actions, extra: object = {}, environment: Record<string, string> = {}): { server: OpenTool; notes: () => string[] } {
    n += 1;
    const file = path.join(directory, `notes-${n}`);
    const args = [...scriptArgs(new URL('./mcp-server.ts', import.meta.url)), file];
    const server = tool({ command: process.execPath, args, ...extra }, actions, environment);
    return { server, notes: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []) };
  }
  const pids = (notes: string[], what: string): number[] => notes.filter((line) => line.startsWith(what)).map((line) => Number(line.split(' ')[1]));
  const lives = (pid: number): boolean => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

  it('gets nothing of the environment of the worker, and its secrets do not come back', async () => {
    process.env['WRIT_TEST_LEAK'] = 'leaked';
    const { server } = odd({ environment: {}, error: {} }, { env: { KEY: 'Bearer {{secrets.key}}' }, secrets: { key: 'env:K' } }, { K: 'very-secret-key' });
    const answer = await call(server, 'environment');
    delete process.env['WRIT_TEST_LEAK'];
    if (answer.kind !== 'ok') throw new Error(answer.message);
    const { content } = answer.data as { content: [{ text: string }] };
    const environment = JSON.parse(content[0].text) as Record<string, string>;
    expect(Object.keys(environment).sort()).toEqual(['HOME', 'KEY', 'LANG', 'PATH', 'TZ']);
    expect(environment['KEY']).toBe('Bearer [secret]');
    expect(await call(server, 'error')).toEqual({ kind: 'failed', message: expect.stringMatching(/-32602: .*bad Bearer \[secret\]/) });
  });

  it('that dies in a call leaves an unclear end, is started again for the next call, and got one request', async () => {
    const { server, notes } = odd({ die: {}, environment: {} });
    expect(await call(server, 'die')).toEqual({ kind: 'unclear', message: 'the MCP server ended before it answered' });
    expect(notes().filter((line) => line.startsWith('call'))).toEqual(['call die {"writ/idempotency-key":"task-1"}']);
    expect(await call(server, 'environment')).toMatchObject({ kind: 'ok' });
    expect(pids(notes(), 'start')).toHaveLength(2);
  });

  it('is told the context of a call when it has one', async () => {
    const { server, notes } = odd({ environment: {} });
    const { signal } = new AbortController();
    const prepared = await server.tool.adapter.prepare({ taskId: 'task-1', operation: 'environment', params: {} }, signal);
    if (prepared.kind === 'ready') await prepared.send(signal, 'a-traceparent');
    expect(notes().filter((line) => line.startsWith('call'))).toEqual(['call environment {"writ/idempotency-key":"task-1","traceparent":"a-traceparent"}']);
  });

  it('that is killed in a call leaves an unclear end', async () => {
    const { server, notes } = odd({ hang: {} });
    const ending = call(server, 'hang');
    while (!notes().some((line) => line.startsWith('call'))) await new Promise((resolve) => setImmediate(resolve));
    process.kill(pids(notes(), 'start')[0] ?? 0, 'SIGKILL');
    expect(await ending).toMatchObject({ kind: 'unclear' });
  });

  it('is killed with everything that it started', async () => {
    const { server, notes } = odd({ family: {} });
    expect(await call(server, 'family')).toMatchObject({ kind: 'ok' });
    const family = [...pids(notes(), 'start'), ...pids(notes(), 'child')];
    expect(family).toHaveLength(2);
    await server.close();
    while (family.some(lives)) await new Promise((resolve) => setImmediate(resolve));
  });

  it.each([
    ['huge', /ended before it answered/],
    ['broken', /what is no tool result/],
    ['big-integer', /not JSON that everybody reads alike/],
  ])('whose answer is %s leaves an unclear end', async (name, words) => {
    const { server } = odd({ [name]: {} }, { response_max_bytes: 100_000 });
    expect(await call(server, name)).toEqual({ kind: 'unclear', message: expect.stringMatching(words) });
  });

  it.each([
    ['said-closed', -32_000],
    ['said-timeout', -32_001],
  ])('that answers with an error whose code is one of the SDK (%s) has answered: the call has failed', async (name, code) => {
    const { server, notes } = odd({ [name]: {}, environment: {} });
    expect(await call(server, name)).toEqual({ kind: 'failed', message: `the MCP server answered with the error ${code}: MCP error ${code}: no such thing` });
    expect(await call(server, 'environment')).toMatchObject({ kind: 'ok' });
    expect(pids(notes(), 'start')).toHaveLength(1);
  });

  it('that cannot be started, or whose secret is missing, gets no call', async () => {
    expect(await call(tool({ command: '/no/such/command' }, { a: {} }), 'a')).toEqual({
      kind: 'unsent',
      message: 'the MCP server could not be started (ENOENT)',
    });
    expect(await call(tool({ command: '/bin/false' }, { a: {} }), 'a')).toMatchObject({ kind: 'unsent' });
    expect(await call(odd({ a: {} }, { env: { A: '{{secrets.k}}' }, secrets: { k: 'env:NONE' } }).server, 'a')).toMatchObject({ kind: 'unavailable' });
  });

  it('is started anew when its secret has changed', async () => {
    const environment = { K: 'first-secret' };
    const { server, notes } = odd({ environment: {} }, { env: { KEY: '{{secrets.k}}' }, secrets: { k: 'env:K' } }, environment);
    await call(server, 'environment');
    environment.K = 'second-secret';
    await call(server, 'environment');
    await call(server, 'environment');
    expect(pids(notes(), 'start')).toHaveLength(2);
  });
});

describe('a server behind HTTP', () => {
  /** A small MCP server; `onCall` answers tools/call. */
  async function small(onCall: Parameters<typeof toolServer>[0]): Promise<Awaited<ReturnType<typeof toolServer>>> {
    return toolServer((request, response, socket) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(request.body) as { id?: number; method: string; params: { protocolVersion: string } };
      if (message.method === 'tools/call') return onCall(request, response, socket);
      if (message.id === undefined) return void response.writeHead(202).end();
      response.setHeader('mcp-session-id', 'session-1');
      const result =
        message.method === 'initialize' ? { protocolVersion: message.params.protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } } : {};
      json(200, { jsonrpc: '2.0', id: message.id, result })(request, response, socket);
    });
  }
  const at = (port: number, effect: 'none' | 'once' = 'once', extra: object = {}): OpenTool =>
    tool({ url: `http://127.0.0.1:${port}/mcp`, allow: ['127.0.0.1'], ...extra }, { a: { effect } }, { K: 'very-secret' });
  const calls = (seen: readonly Seen[]): number => seen.filter(({ body }) => body.includes('tools/call')).length;
  const idOf = ({ body }: Seen): number => (JSON.parse(body) as { id: number }).id;

  it('is answered with headers of the binding, session and version; events may come in pieces', async () => {
    await using server = await small((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = `: hello\nid: 1\ndata:\n\nevent: message\r\ndata: {"jsonrpc":"2.0","id":${idOf(request)},\r\ndata: "result":{"content":[{"type":"text","text":"é ${request.headers['authorization']}"}]}}\r\n\r\n`;
      for (const byte of Buffer.from(event)) response.write(Buffer.from([byte]));
      response.end();
    });
    const answer = await call(at(server.port, 'once', { headers: { Authorization: 'Bearer {{secrets.k}}' }, secrets: { k: 'env:K' } }), 'a');
    expect(answer).toEqual({ kind: 'ok', data: { content: [{ type: 'text', text: 'é Bearer [secret]' }] } });
    expect(server.seen.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer very-secret',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': expect.any(String),
    });
    expect(server.seen.some(({ method }) => method === 'GET')).toBe(false);
  });

  it.each([
    [
      'whose stream ends without an answer',
      (_: Seen, response: { writeHead(s: number, h: object): { end(text: string): void } }) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 7\nretry: 1\ndata:\n\n'),
      'unclear',
    ],
    ['whose connection breaks', (_: Seen, response: { destroy(): void }) => response.destroy(), 'unclear'],
    [
      'that answers with the error -32000',
      (r: Seen, response: { writeHead(s: number, h: object): { end(text: string): void } }) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: idOf(r), error: { code: -32_000, message: 'Connection closed' } })),
      'failed',
    ],
    ['that answers 500', (_: Seen, response: { writeHead(s: number): { end(): void } }) => response.writeHead(500).end(), 'failed'],
    [
      'that redirects',
      (_: Seen, response: { writeHead(s: number, h: object): { end(): void } }) => response.writeHead(307, { location: '/other' }).end(),
      'failed',
    ],
    [
      'that answers too much',
      (r: Seen, response: { end(text: string): void }) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(r), result: { content: [{ type: 'text', text: 'x'.repeat(200_000) }] } })),
      'unclear',
    ],
  ])('%s got one request', async (_, behaviour, kind) => {
    await using server = await small(behaviour as Parameters<typeof toolServer>[0]);
    expect(await call(at(server.port, 'once', { response_max_bytes: 100_000 }), 'a')).toMatchObject({ kind });
    expect(calls(server.seen)).toBe(1);
  });

  it('that has forgotten the session is asked again in a new one, but not for a once call', async () => {
    let forgotten = true;
    const behaviour: Parameters<typeof toolServer>[0] = (request, response, socket) => {
      if (forgotten) return void response.writeHead(404).end();
      json(200, { jsonrpc: '2.0', id: idOf(request), result: { content: [] } })(request, response, socket);
    };
    await using server = await small((request, response, socket) => {
      behaviour(request, response, socket);
      forgotten = false;
    });
    expect(await call(at(server.port, 'once'), 'a')).toEqual({ kind: 'failed', message: 'the MCP server answered 404' });
    forgotten = true;
    expect(await call(at(server.port, 'none'), 'a')).toMatchObject({ kind: 'ok' });
    expect(calls(server.seen)).toBe(3);
  });

  it('that names a session only in the answer that refuses a call was not asked in it, and is not asked again', async () => {
    await using server = await toolServer((request, response, socket) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const message = JSON.parse(request.body) as { id?: number; method: string; params: { protocolVersion: string } };
      if (message.method === 'tools/call') return void response.writeHead(404, { 'mcp-session-id': 'session-2' }).end();
      if (message.id === undefined) return void response.writeHead(202).end();
      const result = { protocolVersion: message.params.protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } };
      json(200, { jsonrpc: '2.0', id: message.id, result })(request, response, socket);
    });
    expect(await call(at(server.port, 'none'), 'a')).toEqual({ kind: 'failed', message: 'the MCP server answered 404' });
    expect(calls(server.seen)).toBe(1);
  });

  it('at an address that is not allowed is never connected to', async () => {
    await using server = await small(() => undefined);
    const made = createMcpTool(McpBinding.parse({ tool: 't', adapter: 'mcp', mcp: { url: `https://mcp.example:${server.port}/` }, actions: { a: {} } }), {
      environment: () => undefined,
      resolver: async () => ['127.0.0.1'],
    });
    expect(await call(made, 'a')).toEqual({ kind: 'unsent', message: 'the host of the tool has an address that is not allowed (loopback)' });
    expect(server.connections).toBe(0);
    await made.close();
  });
});
