import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/core/clock.ts';
import { boardPlugin } from '../../../../src/surfaces/http/board/plugin.ts';
import { consolePlugin } from '../../../../src/surfaces/http/console/plugin.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createHttpServer, type HttpServer } from '../../../../src/surfaces/http/server.ts';
import { ask } from './core-raw.ts';
import { coreServices, memoryKeys, memoryLinks, SETTINGS } from './core-site.ts';

/** Whatever Fastify was given, by us, by Bull Board or by Swagger: asked for, not listed by hand. */
interface Registered {
  readonly method: string;
  readonly url: string;
}

/** What nobody needs a key for. Everything else that is registered must say 401. */
const OPEN: readonly RegExp[] = [/^\/$/, /^\/(healthz|readyz|openapi\.json|login|logout)$/, /^\/docs(\/|$)/];
/** Bodies that are a stream: their lines are limited, one by one. */
const STREAMS: ReadonlySet<string> = new Set(['POST /v1/tasks', 'POST /v1/plans']);
const MAX_BODY = 2048;

const unused = () => {
  throw new Error('no test of the audit asks for this');
};

let server: HttpServer;
let key: string;
const routes: Registered[] = [];
beforeAll(async () => {
  const keys = memoryKeys();
  key = (await keys.create({ name: 'all', roles: ['submit', 'read', 'operate', 'kernel', 'search', 'ingest'] })).secret;
  server = createHttpServer({
    routes: ROUTES,
    services: coreServices,
    apiKeys: keys,
    loginLinks: memoryLinks(),
    http: { ...SETTINGS, maxBodyBytes: MAX_BODY },
    plugins: [
      boardPlugin({
        queues: [],
        pool: 'default',
        links: [],
        operate: unused,
        control: { list: unused, paused: unused, pausedAround: unused, set: unused },
        audit: { append: unused },
        clock: systemClock,
        report: unused,
        translate: (error) => error,
      }),
      consolePlugin(coreServices),
    ],
  });
  server.app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url });
  });
  await server.start();
});
afterAll(() => server.stop());

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const addressOf = (url: string): string => url.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x');
const asked = () => routes.filter(({ method }) => METHODS.has(method));
/** Through a proxy, so that nothing is open because of loopback. */
const proxied = () => ({ 'x-forwarded-for': '203.0.113.9', origin: server.url() });

const WANTED: Readonly<Record<string, RegExp>> = {
  'content-security-policy': /^(?!.*(unsafe|\*|https?:)).*frame-ancestors 'none'/,
  'x-frame-options': /^DENY$/,
  'x-content-type-options': /^nosniff$/,
  'cache-control': /^no-store$/,
  'referrer-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'ratelimit-limit': /^\d+$/,
};
const UNWANTED: readonly string[] = ['access-control-allow-origin', 'x-powered-by', 'server'];

function faultsOf(headers: IncomingHttpHeaders): readonly string[] {
  const wrong = Object.entries(WANTED).filter(([name, value]) => !value.test(String(headers[name] ?? '')));
  return [...wrong.map(([name]) => `${name} ${String(headers[name])}`), ...UNWANTED.filter((name) => name in headers)];
}

describe('every route that is registered', () => {
  it('is one of many: the API, the pages, the docs and the board', () => {
    const urls = new Set(routes.map(({ url }) => url));
    for (const url of ['/v1/tasks', '/v1/index', '/login', '/docs/', '/board/', '/board/api/queues', '/board/*'])
      expect([url, urls.has(url)]).toEqual([url, true]);
    expect(routes.length).toBeGreaterThan(100);
  });

  it('asks who calls, unless it is one of a few', async () => {
    const open: string[] = [];
    for (const { method, url } of asked()) {
      const { status } = await ask(server.url(), addressOf(url), { method, headers: proxied() });
      if (status !== 401 && status !== 405) open.push(`${method} ${url} ${status}`);
    }
    expect(open.filter((line) => !OPEN.some((known) => known.test(line.split(' ')[1] ?? '')))).toEqual([]);
    expect(open.length).toBeGreaterThan(0);
  });

  it('has the same headers for who is refused at the door, and for addresses that cannot be read, and counts them', async () => {
    for (const [path, headers, status] of [
      ['/v1/tasks', { host: 'evil.example' }, 421],
      ['/v1/tasks', { ...proxied(), origin: 'https://evil.example' }, 403],
      ['/v1/tasks/%', proxied(), 400],
      ['/v1/tasks/%', { host: 'evil.example' }, 421],
    ] as const) {
      const answer = await ask(server.url(), path, { method: 'POST', headers });
      expect([path, headers, answer.status, faultsOf(answer.headers)]).toEqual([path, headers, status, []]);
    }
    const left = async (): Promise<number> =>
      Number((await ask(server.url(), '/v1/tasks', { method: 'GET', headers: { host: 'evil.example' } })).headers['ratelimit-remaining']);
    const before = await left();
    expect(await left()).toBe(before - 1);
  });

  it('answers with the headers that forbid frames, sniffing, stores and foreign scripts, and counts the caller', async () => {
    const faults: string[] = [];
    for (const { method, url } of asked()) {
      // A stream has no end that one could wait for.
      const callers = [proxied(), ...(url === '/v1/events' ? [] : [{ ...proxied(), authorization: `Bearer ${key}` }])];
      for (const headers of callers) {
        const answer = await ask(server.url(), addressOf(url), { method, headers });
        faults.push(...faultsOf(answer.headers).map((fault) => `${method} ${url}: ${fault}`));
      }
    }
    // The public keys may be kept for a moment.
    expect([...new Set(faults)]).toEqual(['GET /v1/keys: cache-control private, max-age=30', 'HEAD /v1/keys: cache-control private, max-age=30']);
  });

  it('takes no body over the limit', async () => {
    const changing = asked().filter(({ method, url }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !STREAMS.has(`${method} ${url}`));
    const body = JSON.stringify('x'.repeat(20_000));
    const headers = { ...proxied(), authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': String(body.length) };
    const taken: string[] = [];
    for (const { method, url } of changing) {
      const { status } = await ask(server.url(), addressOf(url), { method, headers, body });
      // 405: the method is refused before anything is read.
      if (status !== 413 && status !== 405) taken.push(`${method} ${url} ${status}`);
    }
    expect(taken).toEqual([]);
  });

  it('that changes something takes no order from a page of another origin', async () => {
    const changing = asked().filter(({ method }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
    for (const { method, url } of changing) {
      for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
        const { status, body } = await ask(server.url(), addressOf(url), { method, headers: { ...headers, authorization: `Bearer ${key}` } });
        expect([`${method} ${url}`, status, body]).toEqual([`${method} ${url}`, 403, expect.stringContaining('ORIGIN_NOT_ALLOWED')]);
      }
    }
  });
});
