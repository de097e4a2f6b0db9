import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../../src/surfaces/http/route.ts';
import { HEALTH_ROUTES } from '../../../../src/surfaces/http/routes/health.ts';
import { ask, openSocket } from './core-raw.ts';
import { startSite } from './core-site.ts';

const SOCKETS = 300;
const LIMIT_MS = 700;
const HOURS_MS = 10 * 3_600_000;

const base = { tag: 'tasks', access: 'open', summary: 'x', responses: { 200: { description: 'x' } }, problems: [] } as const;
const echo = route({
  ...base,
  method: 'POST',
  path: '/echo',
  operation: 'echo',
  body: z.unknown(),
  handle: async ({ body }) => ({ status: 200, body: { body } }),
});
const count = route({
  ...base,
  method: 'POST',
  path: '/count',
  operation: 'count',
  ndjson: true,
  async handle({ request }) {
    let bytes = 0;
    for await (const part of request.raw as AsyncIterable<Buffer>) bytes += part.length;
    return { status: 200, body: { bytes } };
  },
});
/** A route that waits for its caller to go; tells when it has begun and why it ended. */
function waiting() {
  const begun = resolvers();
  const ended = resolvers();
  const row = route({
    ...base,
    method: 'GET',
    path: '/wait',
    operation: 'wait',
    async handle({ signal }) {
      begun.resolve('begun');
      await once(signal, 'abort');
      ended.resolve('aborted');
      return { status: 200 };
    },
  });
  return { row, begun: begun.promise, ended: ended.promise };
}

const start = (extra: Parameters<typeof startSite>[0] = {}) =>
  startSite({ routes: [...HEALTH_ROUTES, echo, count], ...extra, http: { requestTimeoutMs: LIMIT_MS, ...extra.http } });

const head = (url: string, path: string, rest: string) => `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${rest}\r\n\r\n`;

describe('slow clients', () => {
  it.each([
    ['that never finish their headers', (url: string) => `GET /healthz HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-`],
    ['that never say anything', () => ''],
    ['that never finish their bodies', (url: string) => `${head(url, '/echo', 'Content-Type: application/json\r\nContent-Length: 1000')}{"a`],
    ['whose streams stand still', (url: string) => `${head(url, '/count', 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked')}3\r\n{}\n\r\n`],
    ['whom nobody lets in', (url: string) => head(url, '/metrics', 'Via: x\r\nContent-Length: 100000'), true],
  ])('%s do not keep others waiting, and are shown out', async (_name, text, isRefused = false) => {
    const crowdOf = ({ url }: { readonly url: string }) => Promise.all(Array.from({ length: SOCKETS }, () => openSocket(url, text(url))));
    {
      await using site = await start({ http: { requestTimeoutMs: HOURS_MS } });
      const crowd = await crowdOf(site);
      let gone = 0;
      for (const { ended } of crowd) void ended.then(() => (gone += 1));
      // An answer that came only when these were shown out would come in hours.
      expect((await ask(site.url, '/healthz')).status).toBe(200);
      if (!isRefused) expect(gone).toBe(0);
      for (const { socket } of crowd) socket.destroy();
    }
    await using site = await start();
    const sockets = await crowdOf(site);
    const ends = await Promise.all(sockets.map(({ ended }) => ended));
    for (const end of new Set(ends.map((said) => said.split('\r\n')[0]))) expect(end).toMatch(/^$|^HTTP\/1\.1 (405|408) /);
    expect((await ask(site.url, '/healthz')).status).toBe(200);
  });

  it('that drip through their headers byte by byte are shown out all the same', async () => {
    await using site = await start();
    const { socket, ended } = await openSocket(site.url, `GET /healthz HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nX-`);
    const drip = setInterval(() => socket.write('a'), 100);
    expect(await ended).toContain('REQUEST_TIMEOUT');
    clearInterval(drip);
  });

  it('that drip through a plain body are shown out; a stream may take its time as long as it goes on', async () => {
    await using site = await start();
    const plain = await openSocket(site.url, head(site.url, '/echo', 'Content-Type: application/json\r\nContent-Length: 1000'));
    const stream = await openSocket(
      site.url,
      head(site.url, '/count', 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close'),
    );
    let dripped = 0;
    const over = new Promise<void>((resolve) => {
      const drip = setInterval(() => {
        dripped += 1;
        plain.socket.write(' ');
        stream.socket.write(dripped < 20 ? '3\r\n{}\n\r\n' : '0\r\n\r\n');
        if (dripped < 20) return;
        clearInterval(drip);
        resolve();
      }, 100);
    });
    expect(await plain.ended).toContain('REQUEST_TIMEOUT');
    await over;
    // Three times the limit of a plain body, and whole.
    expect(await stream.ended).toContain('{"bytes":57}');
  });
});

describe('connections', () => {
  it('beyond the limit are closed at once, the others go on', async () => {
    await using site = await start({ http: { maxConnections: 5, requestTimeoutMs: 30_000 } });
    const held = await Promise.all(Array.from({ length: 5 }, () => openSocket(site.url, '')));
    expect(await (await openSocket(site.url, '')).ended).toBe('');
    held[0]?.socket.end();
    await held[0]?.ended;
    expect((await ask(site.url, '/healthz')).status).toBe(200);
    for (const { socket } of held) socket.destroy();
  });

  it('that end tell the handler by its signal', async () => {
    const { row, begun, ended } = waiting();
    await using site = await start({ routes: [row] });
    const { socket } = await openSocket(site.url, `GET /wait HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\n\r\n`);
    await begun;
    socket.destroy();
    expect(await ended).toBe('aborted');
  });

  it('that wait for an answer do not keep the server from stopping', async () => {
    const { row, begun, ended } = waiting();
    const site = await start({ routes: [row] });
    const socket = await openSocket(site.url, `GET /wait HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\n\r\n`);
    await begun;
    await site.server.stop();
    expect(await ended).toBe('aborted');
    await socket.ended;
  });

  it('with headers without end, or no HTTP at all, get a problem document', async () => {
    await using site = await start();
    const long = await openSocket(site.url, `GET / HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
    const noise = await openSocket(site.url, '\u0016\u0003\u0001 hello\r\n\r\n');
    expect(await long.ended).toContain('application/problem+json');
    expect(await noise.ended).toContain('INVALID_ARGUMENT');
  });
});

function resolvers() {
  let resolve: (value: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
