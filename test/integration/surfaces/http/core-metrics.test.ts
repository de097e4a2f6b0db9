import { describe, expect, it, vi } from 'vitest';
import { inContract } from '../../../../src/observability/exposition.ts';
import { createHttpMeter } from '../../../../src/observability/http-requests.ts';
import { createMetrics } from '../../../../src/observability/metrics.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { ask, openSocket } from './core-raw.ts';
import { startSite } from './core-site.ts';

async function measuredSite() {
  const metrics = createMetrics('api', '0');
  const stalled = async function* (signal: AbortSignal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const events = (_after: number | undefined, signal: AbortSignal) => ({ begun: Promise.resolve(), [Symbol.asyncIterator]: () => stalled(signal) });
  const index = { list: async () => ({ tasks: [] }), events, health: () => ({ state: 'following', tasks: 0, lagMs: 0 }) as const };
  const site = await startSite({ routes: ROUTES, meter: createHttpMeter(metrics), services: { index } });
  const value = async (name: string, labels: Record<string, string> = {}): Promise<number | undefined> => {
    const samples = (await metrics.families()).flatMap((family) => family.samples).filter((sample) => sample.name === name);
    return samples.find((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))?.value;
  };
  return { site, metrics, value };
}

describe('the figures about requests', () => {
  it('tell the route as it is written, never what was asked for', async () => {
    const { site, metrics, value } = await measuredSite();
    await using _ = site;
    const headers = { authorization: `Bearer ${site.secrets.read}` };
    for (let n = 0; n < 5; n += 1) await ask(site.url, `/v1/tasks/secret-${n}/retry`, { method: 'POST', headers });
    await ask(site.url, '/v1/tasks?path=/secret', { headers });
    await ask(site.url, '/secret/path', { headers });
    await ask(site.url, '/docs/static/index.css');
    await ask(site.url, '/healthz', { method: 'PROPFIND' });
    await ask(site.url, '/', { headers: { host: 'secret.example' } });
    const count = (route: string, method: string, status_class: string) => value('writ_http_requests_total', { route, method, status_class });
    await vi.waitFor(async () => expect(await count('/', 'GET', '4xx')).toBe(1), PATIENCE);
    expect(await count('/v1/tasks/:id/retry', 'POST', '4xx')).toBe(5);
    expect(await count('/v1/tasks', 'GET', '2xx')).toBe(1);
    expect(await count('none', 'GET', '4xx')).toBe(1);
    expect(await count('/docs/*', 'GET', '2xx')).toBe(1);
    expect(await count('/healthz', 'other', '4xx')).toBe(1);
    expect(await value('writ_http_request_seconds_count', { route: '/v1/tasks/:id/retry' })).toBe(5);
    const families = await metrics.families();
    expect(JSON.stringify(families)).not.toContain('secret');
    for (const family of families) expect([family.name, inContract(family)]).toEqual([family.name, true]);
  });

  it('tell the connections and event streams that are open, and forget those that have gone', async () => {
    const { site, value } = await measuredSite();
    await using _ = site;
    const get = `GET /v1/events HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nAuthorization: Bearer ${site.secrets.read}\r\n\r\n`;
    const [stream, silent] = [await openSocket(site.url, get), await openSocket(site.url, '')];
    await vi.waitFor(async () => expect(await value('writ_http_event_streams')).toBe(1), PATIENCE);
    expect(await value('writ_http_connections')).toBe(2);
    for (const { socket } of [stream, silent]) socket.destroy();
    await vi.waitFor(async () => expect([await value('writ_http_event_streams'), await value('writ_http_connections')]).toEqual([0, 0]), PATIENCE);
    expect(await value('writ_http_requests_total', { route: '/v1/events', status_class: '2xx' })).toBe(1);
  });

  it('tell of a client that left before there was an answer', async () => {
    const { site, value } = await measuredSite();
    await using _ = site;
    const head = `POST /v1/leases HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nAuthorization: Bearer ${site.secrets.kernel}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const { socket } = await openSocket(site.url, head);
    await vi.waitFor(async () => expect(await value('writ_http_connections')).toBe(1), PATIENCE);
    socket.end();
    await vi.waitFor(async () => expect(await value('writ_http_requests_total', { route: '/v1/leases' })).toBe(1), PATIENCE);
    expect(await value('writ_http_requests_total', { route: '/v1/leases', status_class: '2xx' })).toBeUndefined();
  });
});
