import http from 'node:http';
import { createLocalJWKSet, flattenedVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canonicalJson } from '../../../../src/core/canonical-json.ts';
import { manifestSha256 } from '../../../../src/core/hash.ts';
import { eventsRoute } from '../../../../src/surfaces/http/routes/events.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { type Site, startSite } from './routes-site.ts';

const WAIT = { prefer: 'wait=60' };

describe('leases, keys, lists and events over HTTP', () => {
  let site: Site;
  beforeAll(async () => {
    const routes = [...ROUTES.filter(({ operation }) => operation !== 'streamEvents'), eventsRoute({ streams: 2, heartbeatMs: 50, stallMs: 500 })];
    site = await startSite({ routes });
    await site.rig.startWorker();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const done = async (name: string) => {
    const manifest = site.manifest(name);
    const reply = await site.ask('/v1/tasks?sign=true', { method: 'POST', body: { manifest }, headers: WAIT });
    expect(reply.body).toMatchObject({ state: 'success' });
    return { manifest, result: reply.body.result };
  };

  it('has the kernel sign a lease that the door accepts, in the name of the key', async () => {
    const manifest = site.manifest('leased');
    const { status, body } = await site.ask('/v1/leases', { method: 'POST', as: 'kernel', body: { manifest, ttl: 60 } });
    expect({ status, body }).toMatchObject({ status: 201, body: { task_id: manifest.task_id } });
    expect(await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body: { manifest, lease: body.lease }, headers: WAIT })).toMatchObject({ status: 200 });
    expect(site.audit().filter(({ subject }) => subject === manifest.task_id)).toMatchObject([
      { action: 'lease.issue', who: 'kernel', outcome: 'asked' },
      { outcome: 'done' },
    ]);
    expect(JSON.stringify(site.audit())).not.toContain(body.lease);
  });

  it.each([['a manifest that wants a person', { constraints: { hrc_required: true } }, 403, 'HRC_REQUIRED']])(
    'refuses a lease for %s',
    async (_, changes, status, code) => {
      const manifest = site.manifest('refused', changes);
      const reply = await site.ask('/v1/leases', { method: 'POST', as: 'kernel', body: { manifest } });
      expect(reply).toMatchObject({ status, body: { code } });
      expect(site.audit().at(-1)).toMatchObject({ action: 'lease.issue', outcome: 'refused' });
    },
  );

  it('says which capabilities there are when a lease is asked for another', async () => {
    const body = { manifest: site.manifest('unknown', { capability_id: 'FILE_SHRED' }) };
    const reply = await site.ask('/v1/leases', { method: 'POST', as: 'kernel', body });
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'INVALID_MANIFEST', field: 'manifest.capability_id', detail: expect.stringContaining('FILE_MOVE') },
    });
  });

  it('signs for keys with the role kernel only, and terms within the limits', async () => {
    const manifest = site.manifest('terms');
    expect(await site.ask('/v1/leases', { method: 'POST', as: 'submit', body: { manifest } })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask('/v1/leases', { method: 'POST', as: 'nobody', body: { manifest } })).toMatchObject({ status: 401 });
    expect(await site.ask('/v1/leases', { method: 'POST', as: 'kernel', body: { manifest, ttl: 0 } })).toMatchObject({ status: 400, body: { field: 'ttl' } });
    expect(await site.ask('/v1/leases', { method: 'POST', as: 'kernel', body: { manifest, ttl: 1e9 } })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ARGUMENT' },
    });
  });

  it('shows the keys with which anybody can verify a result', async () => {
    const { manifest, result } = await done('verified');
    const keys = await site.ask('/v1/keys', { as: 'submit' });
    expect(keys.status).toBe(200);
    expect(JSON.stringify(keys.body)).not.toContain('"d"');
    const { signature, ...said } = result;
    const [header = '', , mac = ''] = (signature as string).split('.');
    const payload = canonicalJson({ task_id: manifest.task_id, capability_id: manifest.capability_id, manifest_sha256: manifestSha256(manifest), ...said });
    const jws = { protected: header, payload: Buffer.from(payload).toString('base64url'), signature: mac };
    await expect(flattenedVerify(jws, createLocalJWKSet(keys.body))).resolves.toBeDefined();
    expect((await site.ask('/v1/keys', { headers: { 'if-none-match': keys.headers.get('etag') ?? '' } })).status).toBe(304);
    expect((await site.ask('/v1/keys', { as: 'nobody' })).status).toBe(401);
  });

  it('finds tasks by what they are, page by page', async () => {
    for (const name of ['p1', 'p2', 'p3']) await done(name);
    const list = (query: string) => site.ask(`/v1/tasks?${query}`, { as: 'read' });
    const path = encodeURIComponent(site.rig.base);
    await vi.waitFor(async () => expect((await list(`state=success&path=${path}&limit=500`)).body.tasks.length).toBeGreaterThanOrEqual(3), PATIENCE);
    const first = await list(`capability=FILE_MOVE&limit=2`);
    expect(first).toMatchObject({ status: 200, body: { tasks: [{ capability_id: 'FILE_MOVE' }, {}], next: expect.any(String) } });
    const second = await list(`capability=FILE_MOVE&limit=2&cursor=${encodeURIComponent(first.body.next)}`);
    expect(second.body.tasks[0].task_id).not.toBe(first.body.tasks[1].task_id);
    expect(await list('limit=0')).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'limit' } });
    expect(await list('cursor=nonsense')).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
    expect(await list('colour=red')).toMatchObject({ status: 400, body: { field: 'colour' } });
    expect(await list('state=gone')).toMatchObject({ status: 400, body: { field: 'state' } });
    expect(await site.ask('/v1/tasks', { as: 'submit' })).toMatchObject({ status: 403 });
  });

  describe('the stream of events', () => {
    const open = (headers: Record<string, string> = {}, as: 'read' | 'operator' | 'submit' = 'read'): Promise<http.IncomingMessage> =>
      new Promise((resolve, reject) => {
        http.get(`${site.url}/v1/events`, { headers: { authorization: `Bearer ${site.secret(as)}`, ...headers } }, resolve).on('error', reject);
      });
    /** Blocks of the stream, as text. */
    async function* blocks(response: http.IncomingMessage): AsyncGenerator<string, undefined> {
      let rest = '';
      for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
        const parts = (rest + piece).split('\n\n');
        rest = parts.pop() ?? '';
        yield* parts;
      }
      return undefined;
    }
    const events = async (response: http.IncomingMessage, isLast: (event: { id: number; task_id: string; state: string }) => boolean) => {
      const seen: { id: number; task_id: string; state: string }[] = [];
      for await (const block of blocks(response)) {
        if (!block.includes('event: task')) continue;
        const [, id, data] = /^id: (\d+)\nevent: task\ndata: (.*)$/.exec(block) ?? [];
        const event = JSON.parse(data ?? '') as { id: number; task_id: string; state: string };
        expect(Number(id)).toBe(event.id);
        seen.push(event);
        if (isLast(event)) break;
      }
      response.destroy();
      return seen;
    };

    it('tells every change with its number, and goes on after the last one that was seen', async () => {
      const response = await open();
      expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const { manifest } = await done('told');
      const seen = await events(response, ({ task_id, state }) => task_id === manifest.task_id && state === 'success');
      expect(seen.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).toSorted((a, b) => a - b));
      const again = await events(await open({ 'last-event-id': String((seen.at(-1)?.id ?? 0) - 1) }), () => true);
      expect(again).toEqual(seen.slice(-1));
    });

    it('shows that it lives while nothing happens', async () => {
      const response = await open();
      for await (const block of blocks(response)) if (block.startsWith(': ')) break;
      response.destroy();
    });

    it('refuses a number that is none, one that is too old to be complete, and callers without the role', async () => {
      const answer = async (headers: Record<string, string>, as: 'read' | 'submit' = 'read') => {
        const response = await open(headers, as);
        let text = '';
        for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) text += piece;
        return { status: response.statusCode, code: (JSON.parse(text) as { code: string }).code };
      };
      expect(await answer({ 'last-event-id': 'x' })).toEqual({ status: 400, code: 'INVALID_ARGUMENT' });
      expect(await answer({ 'last-event-id': '999999999' })).toEqual({ status: 400, code: 'INVALID_ARGUMENT' });
      expect(await answer({}, 'submit')).toEqual({ status: 403, code: 'FORBIDDEN' });
    });

    it('opens no more streams than a key may have, and gives the place of one that has gone to the next', async () => {
      const opened = [await open({}, 'operator'), await open({}, 'operator')];
      const third = await open({}, 'operator');
      expect(third.statusCode).toBe(429);
      third.resume();
      opened[0]?.destroy();
      await vi.waitFor(async () => {
        const next = await open({}, 'operator');
        next.destroy();
        expect(next.statusCode).toBe(200);
      }, PATIENCE);
      opened[1]?.destroy();
    });
  });
});
