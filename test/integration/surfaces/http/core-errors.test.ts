import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../../../src/contracts/index.ts';
import { ERRORS, WritError } from '../../../../src/core/errors.ts';
import { withDocument } from '../../../../src/surfaces/http/openapi/document.ts';
import { hasBody } from '../../../../src/surfaces/http/openapi/operation-body.ts';
import { type AnyRoute, route } from '../../../../src/surfaces/http/route.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { CSP_DATA } from '../../../../src/surfaces/http/security/headers.ts';
import { ask, type RawAnswer } from './core-raw.ts';
import { type Site, startSite } from './core-site.ts';

const { rows, document } = withDocument(ROUTES);
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/** Whether the answer is one that the document promises for this operation. */
function promised(row: AnyRoute, { status, headers, body }: RawAnswer): unknown {
  const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
  const operation = document.paths[path]?.[row.method.toLowerCase()] as { responses: Record<string, { content?: Record<string, { schema: object }> }> };
  const answer = operation.responses[String(status)];
  const type = headers['content-type']?.split(';')[0] ?? '';
  const schema = answer?.content?.[type]?.schema;
  if (schema === undefined) return `${status} ${type} is not in the document: ${body}`;
  const validate = ajv.compile({ ...schema, components: document['components'] });
  return validate(JSON.parse(body)) ? 'as documented' : validate.errors;
}

let site: Site;
beforeAll(async () => {
  site = await startSite({ routes: ROUTES, http: { maxBodyBytes: 4096 } });
});
afterAll(() => site.server.stop());

const url = ({ path }: AnyRoute) => path.replaceAll(/:\w+/g, 't-1');
const named = (list: readonly AnyRoute[]) => list.map((row) => ({ name: `${row.method} ${row.path}`, row }));
const key = () => ({ authorization: `Bearer ${site.secrets.all}` });
const codeOf = ({ body }: RawAnswer) => (JSON.parse(body) as { code: string }).code;

/** A role that the row does not take. */
function wrongRole(row: AnyRoute): string {
  return site.secrets[ROLES.find((role) => !row.access.includes(role)) ?? 'all'];
}

describe('errors as the OpenAPI document has them', () => {
  it.each(named(rows))('$name: another Host is HOST_NOT_ALLOWED', async ({ row }) => {
    const answer = await ask(site.url, url(row), { method: row.method, headers: { ...key(), host: 'evil.example' } });
    expect([codeOf(answer), promised(row, answer)]).toEqual(['HOST_NOT_ALLOWED', 'as documented']);
  });

  it.each(named(rows.filter(({ access }) => access !== 'open')))('$name: without a key UNAUTHORIZED', async ({ row }) => {
    const answer = await ask(site.url, url(row), { method: row.method, headers: { via: '1.1 proxy' } });
    expect([codeOf(answer), promised(row, answer), answer.headers['www-authenticate']]).toEqual(['UNAUTHORIZED', 'as documented', 'Bearer realm="writ"']);
  });

  it.each(named(rows.filter(({ access }) => Array.isArray(access))))('$name: with another role FORBIDDEN', async ({ row }) => {
    const answer = await ask(site.url, url(row), { method: row.method, headers: { via: '1.1 proxy', authorization: `Bearer ${wrongRole(row)}` } });
    expect([codeOf(answer), promised(row, answer)]).toEqual(['FORBIDDEN', 'as documented']);
  });

  it.each(named(rows.filter(({ method }) => method !== 'GET')))('$name: from another page ORIGIN_NOT_ALLOWED', async ({ row }) => {
    const answer = await ask(site.url, url(row), { method: row.method, headers: { ...key(), origin: 'https://evil.example' } });
    expect([codeOf(answer), promised(row, answer)]).toEqual(['ORIGIN_NOT_ALLOWED', 'as documented']);
  });

  it.each(named(rows.filter(({ access }) => access !== 'open')))('$name: a parameter that it does not have is INVALID_ARGUMENT', async ({ row }) => {
    const answer = await ask(site.url, `${url(row)}?surprise=1`, { method: row.method, headers: key() });
    expect([codeOf(answer), promised(row, answer)]).toEqual(['INVALID_ARGUMENT', 'as documented']);
  });

  const BODIES: readonly { what: string; type: string; body: string; code: readonly string[] }[] = [
    { what: 'no JSON', type: 'application/json', body: '{', code: ['INVALID_MANIFEST', 'INVALID_ARGUMENT'] },
    { what: 'a key twice', type: 'application/json', body: '{"a":1,"a":2}', code: ['INVALID_MANIFEST', 'INVALID_ARGUMENT'] },
    { what: '__proto__', type: 'application/json', body: '{"__proto__":{"x":1}}', code: ['INVALID_MANIFEST', 'INVALID_ARGUMENT'] },
    { what: 'half a surrogate', type: 'application/json', body: '{"a":"\\ud800"}', code: ['INVALID_MANIFEST', 'INVALID_ARGUMENT'] },
    { what: 'an unknown member', type: 'application/json', body: '{"surprise":1}', code: ['INVALID_MANIFEST', 'INVALID_ARGUMENT', 'BadArgs'] },
    { what: 'too much', type: 'application/json', body: JSON.stringify({ a: 'x'.repeat(5000) }), code: ['BODY_TOO_LARGE'] },
    { what: 'XML', type: 'application/xml', body: '<a/>', code: ['UNSUPPORTED_MEDIA_TYPE'] },
  ];
  it.each(named(rows.filter(hasBody)).flatMap(({ name, row }) => BODIES.map((bad) => ({ name, row, ...bad }))))(
    '$name: $what is $code',
    async ({ row, type, body, code }) => {
      const answer = await ask(site.url, url(row), { method: row.method, headers: { ...key(), 'content-type': type }, body });
      expect(code).toContain(codeOf(answer));
      expect(promised(row, answer)).toBe('as documented');
    },
  );

  it.each(named(rows))('$name: another method is 405 with Allow', async ({ row }) => {
    const answer = await ask(site.url, url(row), { method: 'PATCH', headers: key() });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow?.split(', ')).toContain(row.method);
    expect(codeOf(answer)).toBe('METHOD_NOT_ALLOWED');
    expect([answer.headers['ratelimit-limit'], answer.headers['content-security-policy']]).toEqual([expect.stringMatching(/^\d+$/), CSP_DATA]);
  });

  it('a method that leads to another path is 405 all the same, nothing of its body is read, and a path of nobody is 404 for every method', async () => {
    const there = await ask(site.url, '/v1/tasks/retry', { method: 'GET', headers: key() });
    expect([there.status, there.headers.allow]).toEqual([405, 'POST']);
    for (const path of ['/v1/queues;x', '/v1/tasks/a;b/cancel/x', '/v1/queues/'])
      for (const method of ['GET', 'PUT']) expect([path, method, (await ask(site.url, path, { method, headers: key() })).status]).toEqual([path, method, 404]);
    const broken = await ask(site.url, '/v1/queues', { method: 'PUT', headers: { ...key(), 'content-type': 'application/json' }, body: '{' });
    expect([broken.status, broken.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await ask(site.url, '/v1/queues', { method: 'PUT', headers: { host: 'evil.example' } })).status).toBe(421);
  });

  it.each(['TRACE', 'PROPFIND', 'MKCOL', 'PURGE', 'M-SEARCH'])(
    '%s is a method like any other: 405 on a path that there is, 404 on one that there is not',
    async (method) => {
      const there = await ask(site.url, '/v1/tasks', { method, headers: key() });
      expect([there.status, there.headers.allow, codeOf(there)]).toEqual([405, 'GET, HEAD, POST', 'METHOD_NOT_ALLOWED']);
      expect((await ask(site.url, '/v1/nothing', { method, headers: key() })).status).toBe(404);
    },
  );
});

describe('what a handler throws', () => {
  const failing = (operation: string, error: () => unknown): AnyRoute =>
    route({
      method: 'GET',
      path: `/${operation}`,
      operation,
      summary: operation,
      tag: 'health',
      access: 'open',
      responses: {},
      problems: [],
      handle: async () => {
        throw error();
      },
    });

  it('of ours is answered with its code, status and field', async () => {
    const routes = Object.keys(ERRORS).map((code) => failing(code, () => new WritError(code as keyof typeof ERRORS, 'because', { field: 'a.b' })));
    await using own = await startSite({ routes });
    for (const [code, { http }] of Object.entries(ERRORS)) {
      const answer = await own.fetch(`/${code}`);
      const problem = (await answer.json()) as Record<string, unknown>;
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(problem).toMatchObject({ type: `urn:writ:error:${code}`, status: http, code, field: 'a.b' });
      expect(answer.status).toBe(http);
    }
  });

  it('by mistake tells nothing but a number that the log has too', async () => {
    const lines: unknown[] = [];
    const log = { error: (line: unknown) => lines.push(line), warn: () => undefined, info: () => undefined, debug: () => undefined };
    await using own = await startSite({ routes: [failing('boom', () => new TypeError('secret at /etc/writ'))], log });
    const text = await (await own.fetch('/boom')).text();
    expect(text).not.toContain('secret');
    expect(text).not.toContain('.ts');
    expect(JSON.parse(text)).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(lines).toEqual([expect.objectContaining({ instance: (JSON.parse(text) as { instance: string }).instance })]);
  });
});

describe('paths and requests that are none', () => {
  it('are problem documents too', async () => {
    for (const [path, code] of [
      ['/nowhere', 'NOT_FOUND'],
      ['/v1/tasks/%zz', 'INVALID_ARGUMENT'],
      ['/docs/static/nothing.js', 'NOT_FOUND'],
    ] as const) {
      const answer = await ask(site.url, path, { headers: key() });
      expect([path, answer.headers['content-type'], codeOf(answer)]).toEqual([path, 'application/problem+json; charset=utf-8', code]);
    }
  });

  it('is 503 and the names of what fails when not ready; details are for keys only', async () => {
    await using own = await startSite({ routes: ROUTES, services: { ready: async () => [{ name: 'redis', ok: false, detail: 'no answer from 10.0.0.7' }] } });
    const open = await own.fetch('/readyz');
    expect([open.status, await open.json()]).toEqual([503, { status: 'not_ready', checks: [{ name: 'redis', ok: false }] }]);
    const known = await own.fetch('/readyz', { headers: { authorization: `Bearer ${own.secrets.submit}` } });
    expect(await known.text()).toContain('10.0.0.7');
  });
});
