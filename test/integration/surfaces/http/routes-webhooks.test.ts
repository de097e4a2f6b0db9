import { createPublicKey, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Envelope, type NoticeLine, WritClient } from '../../../../src/surfaces/client/index.ts';
import { commandLine } from '../../../support/command-line.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { type Receiver, receiver } from '../../../support/webhook-receiver.ts';
import { type Site, startSite } from './routes-site.ts';

describe('webhooks over HTTP', () => {
  let site: Site;
  let at: Receiver;
  beforeAll(async () => {
    at = await receiver();
    const endpoint = { url: at.url, capabilities: [], keys: [], allow: ['127.0.0.1'] };
    site = await startSite({
      webhooks: { copies: { ...endpoint, capabilities: ['FILE_COPY'] }, named: endpoint, keyed: { ...endpoint, keys: ['operator'] } },
    });
    await site.rig.startWorker();
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });
  const clientOf = (as: 'operate' | 'read'): WritClient => new WritClient({ baseUrl: site.url, key: site.secret(as) });
  const webhooks = (): WritClient['webhooks'] => clientOf('operate').webhooks;

  /** The notices of a task once so many are settled; each look waits for a request of the receiver. */
  async function settled(taskId: string, count: number): Promise<readonly NoticeLine[]> {
    for (;;) {
      const { notices } = await webhooks().notices({ task: taskId });
      const done = notices.filter(({ state }) => state !== 'pending');
      if (done.length >= count) return done;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('tells the endpoints of the key and the one that the push names, with the signed result inside', async () => {
    const manifest = site.manifest('told');
    expect(await site.ask('/v1/tasks?sign=true&webhook=named', { method: 'POST', body: { manifest } })).toMatchObject({ status: 202 });
    const done = await settled(manifest.task_id, 2);
    expect(done.map(({ endpoint, state }) => `${endpoint} ${state}`).sort()).toEqual(['keyed delivered', 'named delivered']);

    const { body: task } = await site.ask(`/v1/tasks/${manifest.task_id}`);
    const { public_key } = await webhooks().list();
    for (const { id } of done) {
      const one = at.received.find((received) => received.id === id);
      expect(JSON.parse(one?.body ?? '')).toMatchObject({
        type: 'task.succeeded',
        data: { task_id: manifest.task_id, capability_id: 'FILE_MOVE', manifest_sha256: task.manifest_sha256, result: task.result },
      });
      const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      const signature = Buffer.from(one?.signature.slice('v1a,'.length) ?? '', 'base64');
      expect(verify(null, Buffer.from(`${one?.id}.${one?.timestamp}.${one?.body}`), key, signature)).toBe(true);
    }
  });

  it('tells the endpoint that a push names, by the client, one and many, and over MCP', async () => {
    const [one, many, over] = ['by-client', 'in-bulk', 'over-mcp'].map((name) => site.manifest(name));
    const client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    await client.tasks.submit(one as never, { sign: true, webhook: 'named' });
    for await (const receipt of client.tasks.submitMany([{ manifest: many }] as never, { sign: true, webhook: 'named' }))
      expect(receipt.receipt).toBe('accepted');
    const mcp = new Client({ name: 'test', version: '1' });
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers: { authorization: `Bearer ${site.secret('operator')}` } } }),
    );
    await mcp.callTool({ name: 'submit_task', arguments: { manifest: over, sign: true, webhook: 'named' } });
    await mcp.close();
    for (const manifest of [one, many, over]) {
      const done = await settled(manifest?.task_id ?? '', 2);
      expect(done.map(({ endpoint, state }) => `${endpoint} ${state}`).sort()).toEqual(['keyed delivered', 'named delivered']);
    }
  });

  it('tells whoever pushes what is done already, one, in a stream and as a plan, under the id that its end has', async () => {
    const manifest = site.manifest('done-before');
    const submit = { method: 'POST', body: { manifest } } as const;
    const other = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    await other.tasks.submit(manifest as never, { sign: true, wait: 60 });
    await settled(manifest.task_id, 1);
    expect(await site.ask('/v1/tasks?sign=true&webhook=named', submit)).toMatchObject({ status: 200 });
    const done = await settled(manifest.task_id, 2);
    expect(done.map(({ endpoint, state }) => `${endpoint} ${state}`).sort()).toEqual(['keyed delivered', 'named delivered']);
    // Again, in a stream: nobody is told twice.
    const lines = `${JSON.stringify({ manifest })}\n`;
    const streamed = await site.ask('/v1/tasks?sign=true&webhook=named', { method: 'POST', body: lines, headers: { 'content-type': 'application/x-ndjson' } });
    expect(streamed.text).toContain('"finished"');
    expect(await settled(manifest.task_id, 2)).toHaveLength(2);

    const envelope = envelopeOf([fileStep('FILE_COPY', site.file('of-plan'), `${site.file('of-plan')}.copy`)]);
    const first = await other.plans.submit(envelope as Envelope, { sign: true });
    const id = first.ended ? first.plan.plan_id : first.receipt.plan_id;
    expect(await other.plans.wait(id, { timeoutMs: PATIENCE_MS })).toMatchObject({ state: 'success' });
    await other.plans.submit(envelope as Envelope, { sign: true, webhook: 'named' });
    await expect
      .poll(async () => (await webhooks().notices({ plan: id })).notices.map(({ endpoint, state }) => `${endpoint} ${state}`).sort())
      .toEqual(['keyed delivered', 'named delivered']);
  });

  it('tells every task of a capability, also one that came in a stream, and a failure as a failure', async () => {
    const source = site.file('absent-copy');
    const manifest = {
      ...site.manifest('copied'),
      capability_id: 'FILE_COPY',
      inputs: { source_path: `${source}.nowhere`, destination_path: `${source}.copy` },
    };
    const lines = `${JSON.stringify({ manifest })}\n`;
    const pushed = await site.ask('/v1/tasks?sign=true', { method: 'POST', body: lines, headers: { 'content-type': 'application/x-ndjson' } });
    expect(pushed.text).toContain('"accepted"');
    const done = await settled(manifest.task_id, 2);
    expect(done.map(({ endpoint }) => endpoint).sort()).toEqual(['copies', 'keyed']);
    const told = at.received.find(({ id }) => id === done[0]?.id);
    expect(JSON.parse(told?.body ?? '')).toMatchObject({
      type: 'task.failed',
      data: { result: { status: 'FAILURE', error: { error_code: 'EXECUTION_FAILED' } } },
    });
  });

  it('refuses an endpoint that there is not, and one that is for other keys, and queues nothing', async () => {
    const manifest = site.manifest('refused');
    const ask = (webhook: string, as: 'operator' | 'kernel') => site.ask(`/v1/tasks?sign=true&webhook=${webhook}`, { method: 'POST', body: { manifest }, as });
    expect(await ask('nobody', 'operator')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await ask('Not-An-Id', 'operator')).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
    expect(await site.ask(`/v1/tasks/${manifest.task_id}`)).toMatchObject({ status: 404 });
    await expect(site.services.webhooks.want([{ subject: 't', manifestSha256: '' }], 'another', 'keyed')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('keeps what a receiver refused for good as a dead letter, which is sent again on request, audited', async () => {
    const manifest = site.manifest('dead');
    for (let count = 0; count < 2; count += 1) at.answers.push((response) => void response.writeHead(410).end());
    await site.ask('/v1/tasks?sign=true&webhook=named', { method: 'POST', body: { manifest } });
    const dead = await settled(manifest.task_id, 2);
    expect(dead.map(({ state }) => state)).toEqual(['dead', 'dead']);
    const [one, other] = dead;
    expect(await webhooks().notice(one?.id ?? '')).toMatchObject({ state: 'dead', attempts: 1, body: expect.stringContaining(manifest.task_id) });
    expect(await webhooks().resend(one?.id ?? '')).toEqual({ resent: 1, left: 0 });
    expect(await webhooks().resendDead(other?.endpoint ?? '')).toEqual({ resent: 1, left: 0 });
    while ((await webhooks().notices({ task: manifest.task_id, state: 'delivered' })).notices.length < 2);
    await expect(webhooks().resend(one?.id ?? '')).rejects.toMatchObject({ status: 409, code: 'WRONG_STATE' });
    expect(at.received.filter(({ id }) => id === one?.id).length).toBe(2);
    expect(site.audit().filter(({ action }) => action === 'webhook.resend')).toMatchObject([
      { subject: one?.id, outcome: 'asked', who: 'operate', surface: 'http' },
      { outcome: 'done', detail: { resent: 1 } },
      { subject: other?.endpoint, outcome: 'asked' },
      { outcome: 'done', detail: { resent: 1 } },
      { subject: one?.id, outcome: 'asked' },
      { outcome: 'refused', detail: { code: 'WRONG_STATE' } },
    ]);
  });

  it('tries an endpoint once, and says what came of it', async () => {
    expect(await webhooks().test('named')).toEqual({ endpoint: 'named', delivered: true });
    expect(JSON.parse(at.received.at(-1)?.body ?? '')).toMatchObject({ type: 'webhook.test', data: { endpoint: 'named' } });
    at.answers.push((response) => void response.writeHead(500).end());
    expect(await webhooks().test('named')).toEqual({ endpoint: 'named', delivered: false, problem: 'the receiver answered 500' });
    await expect(webhooks().test('nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('pages its notices, and is for operators', async () => {
    const first = await webhooks().notices({ limit: 1 });
    const second = await webhooks().notices({ limit: 1, cursor: first.next ?? '' });
    expect(second.notices[0]?.id).not.toBe(first.notices[0]?.id);
    expect(await site.ask('/v1/webhooks', { as: 'read' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask('/v1/webhooks/notices/msg_1', {})).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
    expect(await site.ask(`/v1/webhooks/notices/msg_${'0'.repeat(40)}`, {})).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('is worked with on the command line', async () => {
    const { places, redis } = site.rig;
    writeFileSync(places.apiUrl, `${site.url}\n`);
    const keyFile = join(places.dataDir, 'of-the-test.key');
    writeFileSync(keyFile, site.secret('operate'), { mode: 0o600 });
    const writ = (...args: string[]) => commandLine(['--data-dir', places.dataDir, 'webhooks', ...args, '--key', keyFile]);
    const manifest = site.manifest('by-hand');
    for (let count = 0; count < 2; count += 1) at.answers.push((response) => void response.writeHead(410).end());
    await site.ask('/v1/tasks?sign=true&webhook=named', { method: 'POST', body: { manifest } });
    const dead = await settled(manifest.task_id, 2);
    const id = dead.find(({ endpoint }) => endpoint === 'named')?.id ?? '';

    expect(await writ('endpoints')).toMatchObject({ code: 0, out: expect.stringMatching(/^endpoint .*pending .*dead.*keyed.*public key: whpk_/s) });
    expect(await writ('list', '--dead', '--endpoint', 'named')).toMatchObject({ code: 0, out: expect.stringContaining(id) });
    expect(await writ('list', '--task', 'nobody')).toMatchObject({ code: 0, out: 'no notices\n' });
    expect(await writ('show', id)).toMatchObject({ code: 0, out: expect.stringContaining('state: dead') });
    // What a task came to is on disk: an empty Redis takes nothing from a notice.
    await redis.flushAll();
    expect(await writ('resend', id)).toMatchObject({ code: 0, out: '1 notice due again\n' });
    expect(await writ('resend', '--dead', 'keyed')).toMatchObject({ code: 0, out: '1 notice due again\n' });
    while ((await webhooks().notices({ task: manifest.task_id, state: 'delivered' })).notices.length < 2);
    expect(at.received.filter((one) => one.id === id).map(({ body }) => body)).toEqual(Array(2).fill(at.received.find((one) => one.id === id)?.body));
    expect(await writ('resend', id)).toMatchObject({ code: 1, err: expect.stringContaining('only dead ones are sent again') });
    expect(await writ('show', `msg_${'0'.repeat(40)}`)).toMatchObject({ code: 1, err: expect.stringContaining('there is no notice') });
    expect(await writ('test', 'named')).toMatchObject({ code: 0, out: 'named took it\n' });
    at.answers.push((response) => void response.writeHead(500).end());
    expect(await writ('test', 'named')).toMatchObject({ code: 1, out: 'named did not take it: the receiver answered 500\n' });
  });
});
