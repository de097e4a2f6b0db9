import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { json, toolServer } from '../../support/tool-server.ts';
import { call, ENVIRONMENT, type Options, once, toolAt } from './http-fixture.ts';

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

  it('tells the context of its call when it has one, and a binding cannot say another', async () => {
    await using server = await toolServer(json(200, {}));
    const tool = toolAt(server);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { signal } = new AbortController();
    for (const context of [traceparent, undefined]) {
      const prepared = await tool.tool.adapter.prepare({ taskId: 'task-1', operation: 'op', params: {} }, signal);
      if (prepared.kind === 'ready') await prepared.send(signal, context);
    }
    expect(server.seen.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, undefined]);
    await tool.close();
    expect(() => toolAt(server, { request: { headers: { Traceparent: '{{params.a}}' } } })).toThrow('is set by Writ');
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
    expect(await call(toolAt({ port: 1 }, inPath), { p })).toMatchObject({
      kind: 'unfit',
      message: expect.stringMatching(/^inputs\.params\.p fills a segment of the path and /),
    });
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
    expect(await call(tool, { p })).toMatchObject({ kind: 'unfit', message: expect.stringMatching(/^inputs\.params\.p fills the header X-A and /) });
  });

  it.each([
    ['missing', {}],
    ['an object in a text', { p: {} }],
    ['null in a text', { p: null }],
    ['inherited', { p: { toString: 'x' } }],
  ])('that is %s is refused before anything is sent', async (_, params) => {
    const tool = toolAt({ port: 1 }, { request: { query: { p: 'x{{params.p}}' } } });
    expect(await call(tool, params)).toMatchObject({ kind: 'unfit', message: expect.stringMatching(/^inputs\.params\.p /) });
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
    expect(answer).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('the header Authorization') });
    expect(JSON.stringify(answer)).not.toContain('Evil');
  });
});
