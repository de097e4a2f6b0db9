import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpTool, type HttpToolDeps, type OpenTool } from '../../../src/adapters/http-tool/index.ts';
import { HttpBinding } from '../../../src/contracts/index.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolAnswer } from '../../../src/core/ports/index.ts';
import { type Authority, authority, type Behaviour, json, type ToolServer, toolServer } from '../../support/tool-server.ts';

type Request = HttpBinding['actions'][string]['request'];

interface Options {
  readonly request?: Partial<Request>;
  readonly http?: Partial<HttpBinding['http']>;
  readonly effect?: 'none' | 'idempotent' | 'once';
  readonly data?: string;
  readonly deps?: Partial<HttpToolDeps>;
  readonly host?: string;
  readonly secure?: boolean;
}

/** A tool with one action `op` at the server. */
function toolAt(server: Pick<ToolServer, 'port'>, options: Options = {}): OpenTool {
  const host = options.host ?? '127.0.0.1';
  const binding = HttpBinding.parse({
    tool: 't',
    adapter: 'http',
    http: { hosts: [`${host}:${server.port}`], allow: ['127.0.0.1'], ...options.http },
    actions: {
      op: {
        effect: options.effect ?? 'once',
        request: { method: 'POST', url: `${options.secure ? 'https' : 'http'}://${host}:${server.port}/v1/items`, ...options.request },
        ...(options.data === undefined ? {} : { response: { data: options.data } }),
      },
    },
  });
  return createHttpTool(binding, { environment: (name) => ENVIRONMENT[name], ...options.deps });
}

const ENVIRONMENT: Record<string, string> = { TOKEN: 'tok/en+"1234"', SHORT: 'abc' };

async function call(
  { tool }: OpenTool,
  params: JsonObject = {},
  signal = new AbortController().signal,
): Promise<ToolAnswer | { kind: 'unavailable'; message: string }> {
  const prepared = await tool.adapter.prepare({ taskId: 'task-1', operation: 'op', params }, signal);
  return prepared.kind === 'ready' ? prepared.send(signal) : prepared;
}

async function once(
  behaviour: Behaviour,
  options: Options = {},
  params: JsonObject = {},
): Promise<{ answer: Awaited<ReturnType<typeof call>>; server: ToolServer }> {
  await using server = await toolServer(behaviour);
  const tool = toolAt(server, options);
  const answer = await call(tool, params);
  await tool.close();
  return { answer, server };
}

describe('an HTTP tool', () => {
  it('fills parameters in and sends the task id as Idempotency-Key', async () => {
    await using server = await toolServer(json(201, { id: 7 }));
    const url = `http://127.0.0.1:${server.port}/v1/{{params.kind}}/x-{{params.id}}/`;
    const tool = toolAt(server, {
      request: {
        url,
        query: { q: '{{params.q}}', tag: '{{params.tags}}', none: '{{params.none?}}' },
        headers: { 'X-Trace': 'a {{params.kind}} {{task_id}}', 'X-None': '{{params.none?}}' },
        body: { whole: '{{params.deep}}', text: 'Hello {{params.kind}}', list: [1, '{{params.none?}}', null], gone: '{{params.none?}}', all: '{{params}}' },
      },
    });
    const params = { kind: 'a b', id: 5, q: '1&2=3#?', tags: ['x', 'y/z'], deep: { a: [true, '{{secrets.x}}'] } };
    expect(await call(tool, params)).toEqual({ kind: 'ok', data: { id: 7 }, meta: { status: 201 } });
    const [seen] = server.seen;
    expect(seen?.url).toBe('/v1/a%20b/x-5/?q=1%262%3D3%23%3F&tag=x&tag=y%2Fz');
    expect(seen?.headers).toMatchObject({
      'idempotency-key': 'task-1',
      'x-trace': 'a a b task-1',
      'content-type': 'application/json',
      host: `127.0.0.1:${server.port}`,
    });
    expect(seen?.headers).not.toHaveProperty('x-none');
    expect(JSON.parse(seen?.body ?? '')).toEqual({ whole: params.deep, text: 'Hello a b', list: [1, null], all: params });
    await tool.close();
  });

  it.each([
    ['an object', { 'content-type': 'application/json' }, '{"a":1}', { a: 1 }],
    ['another JSON value', { 'content-type': 'application/problem+json; charset=utf-8' }, '[1,2]', { value: [1, 2] }],
    ['text', { 'content-type': 'text/plain' }, '{"a":1}', { text: '{"a":1}' }],
    ['nothing', {}, '', {}],
    ['JSON with a key twice', { 'content-type': 'application/json' }, '{"a":1,"a":2}', { text: '{"a":1,"a":2}' }],
    ['JSON with a dangerous key', { 'content-type': 'application/json' }, '{"__proto__":{"a":1}}', { text: '{"__proto__":{"a":1}}' }],
    ['JSON with an integer that readers round', { 'content-type': 'application/json' }, '{"a":9007199254740993}', { text: '{"a":9007199254740993}' }],
    ['bytes that are no text', {}, Buffer.from([0xff, 0xfe, 0x00]), { bytes: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  ])('answers with %s', async (_, headers, body, data) => {
    const { answer } = await once((_request, response) => void response.writeHead(200, headers).end(body));
    expect(answer).toEqual({ kind: 'ok', data, meta: { status: 200 } });
  });

  it('takes the part of the answer that the binding wants', async () => {
    expect((await once(json(200, { a: { b: [{ c: 1 }] } }), { data: 'a.b.0' })).answer).toMatchObject({ kind: 'ok', data: { c: 1 } });
    expect((await once(json(200, { a: {} }), { data: 'a.b' })).answer).toMatchObject({ kind: 'unclear' });
    expect((await once(json(200, { a: {} }), { data: 'a.constructor' })).answer).toMatchObject({ kind: 'unclear' });
  });

  it.each([
    [400, 'failed'],
    [404, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
    [502, 'unclear'],
    [504, 'unclear'],
  ] as const)('says that %i is %s, with an excerpt on one line', async (status, kind) => {
    const { answer } = await once((_, response) => void response.writeHead(status).end(`no\r\n\u0007way ${'x'.repeat(500)}`));
    expect(answer).toMatchObject({ kind, message: expect.stringMatching(new RegExp(`^the tool answered ${status}: no way x{193}…$`)) });
  });

  it.each([301, 302, 303, 307, 308, 300, 304])('does not follow a redirect (%i)', async (status) => {
    await using target = await toolServer(json(200, {}));
    const { answer, server } = await once((_, response) => void response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end());
    expect(answer).toEqual({ kind: 'failed', message: `the tool answered ${status}; redirects are not followed` });
    expect([server.seen.length, target.seen.length]).toEqual([1, 0]);
  });

  it('asks no proxy of the environment', async () => {
    await using proxy = await toolServer(json(200, { proxied: true }));
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])
      process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`;
    try {
      expect((await once(json(200, { direct: true }))).answer).toMatchObject({ data: { direct: true } });
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) delete process.env[name];
    }
    expect(proxy.seen).toEqual([]);
  });
});

describe('a parameter', () => {
  const inPath: Options = { request: { url: 'http://127.0.0.1:1/a/{{params.p}}/z' }, http: { hosts: ['127.0.0.1:1'] } };
  const PATHS = [
    '.',
    '..',
    '',
    '../..',
    'a/b',
    '/',
    '\\',
    '..\\',
    '%2f',
    '%2F',
    '%252f',
    '%25252f',
    '%2e%2e',
    '%2e',
    '..;x=1',
    '.;',
    'a%5cb',
    'a\0b',
    'a\nb',
    '%00',
    '%0d%0a',
    '．．',
    '‥',
    'a／b',
    ' .. ',
    '...',
    '%c0%ae%c0%ae',
  ];
  it.each(PATHS)('cannot be a step or a slash in the path: %j', async (p) => {
    expect(await call(toolAt({ port: 1 }, inPath), { p })).toMatchObject({ kind: 'unsent', message: expect.stringContaining('a parameter in the path') });
  });

  it('that looks like a host, a query or a fragment stays inside its segment', async () => {
    await using server = await toolServer(json(200, {}));
    const tool = toolAt(server, { request: { method: 'GET', url: `http://127.0.0.1:${server.port}/a/{{params.p}}/z` }, effect: 'none' });
    for (const p of ['@evil.example', ':80', '?x=1', '#frag', 'a;b', 'http:', '100%', 'é😀', "'()*!", '{{secrets.x}}']) {
      expect(await call(tool, { p })).toMatchObject({ kind: 'ok' });
      const url = server.seen.at(-1)?.url ?? '';
      expect(url).toMatch(/^\/a\/[A-Za-z0-9%._~-]+\/z$/);
      expect(decodeURIComponent(url.split('/')[2] ?? '')).toBe(p);
    }
    await tool.close();
  });

  it.each(['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\0b', 'é', '\u2028', 'a\u007f'])('cannot break a header: %j', async (p) => {
    const tool = toolAt({ port: 1 }, { request: { headers: { 'X-A': '{{params.p}}' } } });
    expect(await call(tool, { p })).toMatchObject({ kind: 'unsent', message: expect.stringContaining('X-A') });
  });

  it.each([
    ['missing', {}],
    ['an object in a text', { p: {} }],
    ['null in a text', { p: null }],
    ['inherited', { p: { toString: 'x' } }],
  ])('that is %s is refused before anything is sent', async (_, params) => {
    const tool = toolAt({ port: 1 }, { request: { query: { p: 'x{{params.p}}' } } });
    expect(await call(tool, params)).toMatchObject({ kind: 'unsent', message: expect.stringContaining('params.p') });
  });
});

describe('a secret', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-secret-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const headers = { Authorization: 'Bearer {{secrets.token}}' };

  it('is read anew for every request, sent, and scrubbed from an answer that echoes it in many forms', async () => {
    await using server = await toolServer((request, response) => {
      const token = (request.headers.authorization ?? '').slice(7);
      const echo = {
        raw: `<${token}>`,
        url: encodeURIComponent(token),
        b64: Buffer.from(`x:${token}`).toString('base64'),
        [token]: 1,
        json: JSON.stringify({ token }),
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(echo));
    });
    const file = path.join(directory, 'token');
    const tool = toolAt(server, { request: { headers }, http: { secrets: { token: `file:${file}` } }, effect: 'idempotent' });
    for (const secret of ['first/secret+"1', 'second secret ü'.replace('ü', 'u')]) {
      writeFileSync(file, `${secret}\n`, { mode: 0o600 });
      const answer = await call(tool);
      expect(server.seen.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
      const text = JSON.stringify(answer);
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(2, -4)])
        expect(text).not.toContain(form);
      expect(text).toContain('[secret]');
    }
    await tool.close();
  });

  it('is scrubbed from the excerpt of an error, also where the excerpt is cut', async () => {
    const secret = ENVIRONMENT['TOKEN'] ?? '';
    for (let before = 180; before <= 200; before += 4) {
      const { answer } = await once((_, response) => void response.writeHead(401).end(`${'x'.repeat(before)}${secret}`), {
        request: { headers },
        http: { secrets: { token: 'env:TOKEN' } },
      });
      expect(JSON.stringify(answer)).not.toContain(secret.slice(0, 5));
    }
  });

  it.each([
    ['missing', 'env:NOWHERE', /not set/],
    ['too short', 'env:SHORT', /shorter than 8/],
    ['a missing file', `file:${path.join(directory, 'none')}`, /cannot be read \(ENOENT\)/],
    ['readable by others', `file:${path.join(directory, 'open')}`, /chmod 600/],
    ['a directory', `file:${directory}`, /no regular file/],
  ])('that is %s makes the tool unavailable, without its place', async (_, reference, words) => {
    writeFileSync(path.join(directory, 'open'), 'long enough', { mode: 0o644 });
    const tool = toolAt({ port: 1 }, { request: { headers }, http: { secrets: { token: reference } } });
    const answer = await call(tool);
    expect(answer).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(words) });
    expect(JSON.stringify(answer)).not.toContain(directory);
  });

  it('with a line break never reaches a header', async () => {
    const tool = toolAt({ port: 1 }, { request: { headers }, http: { secrets: { token: 'env:X' } }, deps: { environment: () => 'secret\r\nX-Evil: 1' } });
    const answer = await call(tool);
    expect(answer).toMatchObject({ kind: 'unsent' });
    expect(JSON.stringify(answer)).not.toContain('Evil');
  });
});

describe('an answer', () => {
  it.each([
    ['with a length', true],
    ['in chunks without end', false],
  ])('that is too large is cut off (%s)', async (_, withLength) => {
    const { answer } = await once(
      (_request, response) => {
        response.writeHead(200, withLength ? { 'content-length': 10_000_000 } : {});
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
      { http: { response_max_bytes: 100_000 } },
    );
    expect(answer).toEqual({ kind: 'unclear', message: 'the tool answered 200 with more than 100000 bytes' });
  });

  it('that is compressed although nobody asked is not carried: it could hide what has to be scrubbed', async () => {
    const { answer } = await once((_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('zzz'));
    expect(answer).toMatchObject({ kind: 'unclear', message: expect.stringContaining('encoding') });
  });

  it.each([
    ['before its head', (_: unknown, response: { destroy(): void }) => response.destroy()],
    [
      'in its body',
      (_: unknown, response: { writeHead(status: number, headers: object): { write(text: string, then: () => void): void }; destroy(): void }) =>
        response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy()),
    ],
  ] as const)('that ends %s is unclear', async (_, behaviour) => {
    expect((await once(behaviour as Behaviour)).answer).toMatchObject({ kind: 'unclear' });
  });

  it.each([
    ['never', () => undefined],
    [
      'drop by drop',
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'header by header',
      (_, response, socket) => {
        const timer = setInterval(() => socket.write('X-A: b\r\n'), 5);
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.on('close', () => clearInterval(timer));
        void response;
      },
    ],
  ] satisfies (readonly [string, Behaviour])[])('that comes %s ends with the time of the call', async (_, behaviour) => {
    await using server = await toolServer(behaviour);
    const tool = toolAt(server);
    const stop = new AbortController();
    const ending = call(tool, {}, stop.signal);
    setTimeout(() => stop.abort('timeout'), 60);
    expect(await ending).toEqual({ kind: 'unclear', message: 'the tool did not answer in time, or the call was stopped' });
    await tool.close();
  });

  it.each([
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'not http at all\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ])('that is no proper answer is unclear: %j', async (bytes) => {
    expect((await once((_, _response, socket) => void socket.end(bytes))).answer).toMatchObject({ kind: 'unclear' });
  });
});

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
