import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { route } from '../../../../src/surfaces/http/route.ts';
import { HEALTH_ROUTES } from '../../../../src/surfaces/http/routes/health.ts';
import { ask, openSocket } from './core-raw.ts';
import { type Site, startSite } from './core-site.ts';

const order = route({
  method: 'POST',
  path: '/order',
  operation: 'order',
  summary: 'Something with an effect',
  tag: 'tasks',
  access: ['operate'],
  responses: { 200: { description: 'done' } },
  problems: [],
  handle: async ({ caller }) => ({ status: 200, body: { who: caller.name, via: caller.via } }),
});

let site: Site;
let cookie: string;
let host: string;
beforeAll(async () => {
  site = await startSite({ routes: [...HEALTH_ROUTES, order], http: { allowedHosts: ['writ.example', 'proxy.example:8443'] } });
  cookie = await site.logIn(site.secrets.operate);
  host = new URL(site.url).host;
});
afterAll(() => site.server.stop());
const port = () => new URL(site.url).port;

describe('Host', () => {
  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '127.0.0.1@evil.example', '0.0.0.0', '[::2]', 'localhost:1', 'proxy.example'])(
    '"%s" is refused on every route, so that a rebound name reaches nothing',
    async (name) => {
      expect((await ask(site.url, '/healthz', { headers: { host: name } })).status).toBe(421);
    },
  );

  it('is refused when it is empty or missing', async () => {
    for (const head of ['GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 'GET /healthz HTTP/1.0\r\n\r\n'])
      expect(await (await openSocket(site.url, head)).ended).toContain('HOST_NOT_ALLOWED');
  });

  it('is refused when there are two of it, and when the request line names another one', async () => {
    const { host } = new URL(site.url);
    const twice = await openSocket(site.url, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(await twice.ended).toMatch(/^HTTP\/1\.1 400 [\s\S]*INVALID_ARGUMENT/);
    const whole = (name: string) => openSocket(site.url, `GET http://${name}/healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await (await whole('evil.example')).ended).toContain('HOST_NOT_ALLOWED');
    expect(await (await whole(host)).ended).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('may be loopback or a name of the settings, with the port or without', async () => {
    for (const name of [
      'localhost',
      `localhost:${port()}`,
      `127.0.0.1:${port()}`,
      '[::1]',
      'LOCALHOST',
      'writ.example',
      `writ.example:${port()}`,
      'proxy.example:8443',
    ])
      expect([name, (await ask(site.url, '/healthz', { headers: { host: name } })).status]).toEqual([name, 200]);
  });
});

describe('an order from a page of another origin', () => {
  const tries: readonly (readonly [string, Record<string, string>])[] = [
    ['another site', { origin: 'https://evil.example' }],
    ['another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['another name of this host', { origin: `http://localhost:9` }],
    ['a sandboxed frame', { origin: 'null' }],
    ['no origin at all', {}],
    ['a site that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a site that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
    ['an origin with a path', { origin: 'http://127.0.0.1/x' }],
  ];
  it.each(tries)('is refused with a session: %s', async (_name, headers) => {
    const answer = await ask(site.url, '/order', { method: 'POST', headers: { cookie, ...headers } });
    // A session that another site brings along does not count at all.
    expect([401, 403]).toContain(answer.status);
    expect(answer.body).not.toContain('"who"');
  });

  it('is refused with a key as well, when there is an Origin', async () => {
    const headers = { authorization: `Bearer ${site.secrets.operate}` };
    expect((await ask(site.url, '/order', { method: 'POST', headers: { ...headers, origin: 'https://evil.example' } })).status).toBe(403);
    expect((await ask(site.url, '/order', { method: 'POST', headers })).status).toBe(200);
  });

  it('is taken from the own pages, and from a proxy that speaks TLS', async () => {
    const own = await ask(site.url, '/order', { method: 'POST', headers: { cookie, origin: site.url, 'sec-fetch-site': 'same-origin' } });
    expect([own.status, own.body]).toEqual([200, '{"who":"operate","via":"session"}']);
    const proxied = await ask(site.url, '/order', { method: 'POST', headers: { cookie, host: 'proxy.example:8443', origin: 'https://proxy.example:8443' } });
    expect(proxied.status).toBe(200);
  });

  it('gets no permission by CORS', async () => {
    const answer = await ask(site.url, '/order', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

describe('headers', () => {
  it('forbid frames, sniffing, inline scripts and stores', async () => {
    for (const path of ['/healthz', '/login', '/docs/', '/nowhere']) {
      const { headers } = await ask(site.url, path);
      const csp = String(headers['content-security-policy']);
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).toContain("default-src 'none'");
      expect(csp).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    }
  });
});

describe('/metrics', () => {
  it('is open from loopback only directly, and under a loopback name', async () => {
    expect((await ask(site.url, '/metrics')).status).toBe(200);
    expect((await ask(site.url, '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(401);
    expect((await ask(site.url, '/metrics', { headers: { host: 'writ.example' } })).status).toBe(401);
    expect((await ask(site.url, '/metrics', { headers: { host: 'writ.example', authorization: `Bearer ${site.secrets.read}` } })).status).toBe(200);
  });

  it('needs a key once the server is bound to more than loopback', async () => {
    await using wide = await startSite({ routes: HEALTH_ROUTES, http: { host: '0.0.0.0' } });
    const url = `http://127.0.0.1:${new URL(wide.url).port}`;
    expect((await ask(url, '/metrics')).status).toBe(401);
    expect((await ask(url, '/healthz')).status).toBe(200);
  });
});

it('a forged session cookie next to the host header of the server is nobody', async () => {
  const answer = await ask(site.url, '/order', { method: 'POST', headers: { host, origin: site.url, cookie: 'writ_session=; writ_session=abc' } });
  expect(answer.status).toBe(401);
});
