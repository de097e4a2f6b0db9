import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenTool } from '../../../src/adapters/http-tool/index.ts';
import { type Authority, authority, json, type ToolServer, toolServer } from '../../support/tool-server.ts';
import { call, toolAt } from './http-fixture.ts';

describe('a connection', () => {
  it('that is refused sends nothing', async () => {
    let port = 0;
    {
      await using server = await toolServer(json(200, {}));
      port = server.port;
    }
    expect(await call(toolAt({ port }))).toEqual({ kind: 'unsent', message: 'the tool refuses connections' });
  });

  it('is new for every once request, and kept for others; one that the server closes in between is tried again', async () => {
    await using server = await toolServer(json(200, {}));
    const repeated = toolAt(server, { effect: 'none' });
    for (let n = 0; n < 3; n += 1) await call(repeated);
    expect(server.connections).toBe(1);
    const single = toolAt(server, { effect: 'once' });
    for (let n = 0; n < 3; n += 1) await call(single);
    expect(server.connections).toBe(4);
    await Promise.all([repeated.close(), single.close()]);

    let first = true;
    await using closing = await toolServer((request, response, socket) => {
      if (closing.seen.length === 2 && first) {
        first = false;
        socket.destroy();
      } else json(200, {})(request, response, socket);
    });
    const tool = toolAt(closing, { effect: 'idempotent' });
    expect(await call(tool)).toMatchObject({ kind: 'ok' });
    expect(await call(tool)).toMatchObject({ kind: 'ok' });
    expect(closing.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['task-1', 'task-1', 'task-1']);
    await tool.close();
  });

  it.each([
    ['whose headers are too large', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`],
    ['whose length has two meanings', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['with a header that is none', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n'],
    ['that asks to switch protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['that is no HTTP', 'not http at all\r\n\r\n'],
    ['that ends in its head', 'HTTP/1.1 200 OK\r\nX: y'],
    ['that asks to wait, and no more', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ])('that was kept and brings an answer %s is an answered one: the call is not sent again', async (_, bytes) => {
    await using server = await toolServer((request, response, socket) => {
      if (server.seen.length === 1) json(200, {})(request, response, socket);
      else socket.end(bytes);
    });
    const tool = toolAt(server, { effect: 'none' });
    expect(await call(tool)).toMatchObject({ kind: 'ok' });
    expect(await call(tool)).toMatchObject({ kind: 'unclear' });
    expect(server.seen).toHaveLength(2);
    expect(server.connections).toBe(1);
    await tool.close();
  });

  it.each([
    [['10.0.0.1'], 'private'],
    [['127.0.0.1'], 'loopback'],
    [['8.8.8.8', '127.0.0.1'], 'loopback'],
    [['::ffff:127.0.0.1'], 'ipv4Mapped'],
    [['169.254.169.254'], 'linkLocal'],
  ])('is not made to a name with the addresses %j', async (addresses, range) => {
    await using server = await toolServer(json(200, {}));
    const tool = toolAt(server, { host: 'tool.example', secure: true, http: { allow: [] }, deps: { resolver: async () => addresses } });
    expect(await call(tool)).toEqual({ kind: 'unsent', message: `the host of the tool has an address that is not allowed (${range})` });
    expect(server.connections).toBe(0);
  });

  it('goes to the address that was checked: a name that means another one a moment later changes nothing', async () => {
    await using server = await toolServer(json(200, {}));
    let asked = 0;
    const resolver = async (): Promise<string[]> => {
      asked += 1;
      // First an address where nobody answers, allowed here to stand for a public one; then loopback.
      return asked === 1 ? ['127.0.0.9'] : ['127.0.0.1'];
    };
    const tool = toolAt(server, { host: 'tool.example', http: { allow: ['127.0.0.9/32', 'tool.example'] }, deps: { resolver } });
    expect(await call(tool)).toEqual({ kind: 'unsent', message: 'the tool refuses connections' });
    expect([asked, server.connections]).toEqual([1, 0]);
  });

  it('to a name that cannot be looked up sends nothing, and waits no longer than the call', async () => {
    const lost = { host: 'tool.example', secure: true };
    expect(await call(toolAt({ port: 1 }, { ...lost, deps: { resolver: () => Promise.reject(new Error('no')) } }))).toMatchObject({ kind: 'unsent' });
    expect(await call(toolAt({ port: 1 }, { ...lost, deps: { resolver: () => new Promise(() => undefined) } }), {}, AbortSignal.timeout(20))).toMatchObject({
      kind: 'unsent',
    });
  });
});

describe('TLS', () => {
  let ca: Authority;
  beforeAll(() => {
    ca = authority();
  });
  afterAll(() => ca[Symbol.dispose]());
  const resolver = async (): Promise<string[]> => ['127.0.0.1'];
  const secured = (server: ToolServer, host: string, caFile: string | undefined): OpenTool =>
    toolAt(server, { host, secure: true, http: { allow: ['127.0.0.1'], ...(caFile === undefined ? {} : { ca_file: caFile }) }, deps: { resolver } });

  it('keeps the name of the host for its certificate and its Host header, whatever the address', async () => {
    await using server = await toolServer(json(200, {}), { tls: ca.issue('tool.example') });
    const tool = secured(server, 'tool.example', ca.caFile);
    expect(await call(tool)).toMatchObject({ kind: 'ok' });
    expect(server.seen[0]?.headers.host).toBe(`tool.example:${server.port}`);
    await tool.close();
  });

  it('with a certificate of somebody else, or of an authority that nobody knows, sends nothing', async () => {
    await using server = await toolServer(json(200, {}), { tls: ca.issue('tool.example') });
    const other = secured(server, 'other.example', ca.caFile);
    expect(await call(other)).toEqual({ kind: 'unsent', message: 'the certificate of the tool is for another host' });
    expect(await call(secured(server, 'tool.example', undefined))).toMatchObject({
      kind: 'unsent',
      message: expect.stringMatching(/UNABLE_TO|SELF_SIGNED|CERT/),
    });
    expect(server.seen).toEqual([]);
    await other.close();
  });
});
