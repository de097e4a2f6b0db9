import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WritClient } from '../../../../src/surfaces/client/index.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { type Site, startSite } from './routes-site.ts';

/** Plans over HTTP on the real queue, kernel, worker and executors. */

let site: Site;
let client: WritClient;

beforeAll(async () => {
  site = await startSite({ searchable: true });
  await site.rig.startWorker();
  client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
});
afterAll(() => site[Symbol.asyncDispose]());

const at = (name: string): string => path.join(site.rig.base, name);
const WAIT = { prefer: 'wait=60' };

/** A linked plan with its lease. */
async function leased(envelope: object) {
  const { status, body } = await site.ask('/v1/leases', { method: 'POST', body: { envelope } });
  expect(status).toBe(201);
  return body as { plan_id: string; lease: string; envelope: Record<string, unknown>; capabilities: string[] };
}

describe('a plan over HTTP', () => {
  it('is linked, leased, run and shown; the unlinked and the linked envelope are the same plan', async () => {
    site.file('one.txt');
    const envelope = envelopeOf([fileStep('FILE_COPY', at('one.txt'), at('one.copy'))]);
    const plan = await leased(envelope);
    expect(plan.capabilities).toEqual(['FILE_COPY']);
    const first = await site.ask('/v1/plans', { method: 'POST', body: { envelope, lease: plan.lease }, headers: WAIT, as: 'submit' });
    expect(first).toMatchObject({ status: 200, body: { plan_id: plan.plan_id, state: 'success', steps_done: 1 } });
    expect(readFileSync(at('one.copy'), 'utf8')).toBe('one.txt');
    const again = await site.ask('/v1/plans', { method: 'POST', body: { v: 1, envelope: plan.envelope, lease: plan.lease } });
    expect([again.status, again.headers.get('idempotency-replayed'), again.body.plan_id]).toEqual([200, 'true', plan.plan_id]);
    const shown = await site.ask(`/v1/plans/${plan.plan_id}?memory=true`);
    expect(shown.body.result.envelope).toMatchObject({ error: null, output: { results: [{ ref: 'writ.file', ok: true }] } });
  });

  it('runs a shipped use case that finds, copies and deletes, with every client method', async () => {
    for (const name of ['contract-a.txt', 'contract-b.txt']) site.file(name);
    mkdirSync(at('archive'));
    const params = { query: 'contract-', scope: 'base', max_results: 10, root: site.rig.base, archive: at('archive') };
    // Without a binding for the webhook the last step is answered TOOL_UNAVAILABLE.
    const envelope = envelopeOf([{ type: 'usecase', ref: 'contracts.archive.run', params }]) as Record<string, unknown>;
    const submitted = await client.plans.submit(envelope, { sign: true });
    expect(submitted).toMatchObject({ ended: false, receipt: { receipt: 'accepted' } });
    const id = submitted.ended ? '' : submitted.receipt.plan_id;
    const end = await client.plans.wait(id, { timeoutMs: PATIENCE_MS, memory: true });
    expect(end).toMatchObject({ state: 'failure', error: { code: 'TOOL_UNAVAILABLE' } });
    expect(end.result?.envelope.output.memory.state).toMatchObject({ search: { count: 2 } });
    expect([existsSync(at('contract-a.txt')), existsSync(at('archive/contract-a.txt')), existsSync(at('archive/contract-b.txt'))]).toEqual([false, true, true]);
    await expect(client.plans.cancel(id)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    expect(await client.plans.retry(id, { wait: 20 })).toMatchObject({ ended: true, plan: { state: 'failure', error: { code: 'TOOL_UNAVAILABLE' } } });
  });

  it('runs on from where it failed when the cause is gone', async () => {
    site.file('a.txt');
    site.file('blocked.copy');
    const envelope = envelopeOf([fileStep('FILE_COPY', at('a.txt'), at('first.copy')), fileStep('FILE_COPY', at('a.txt'), at('blocked.copy'))]);
    const plan = await leased(envelope);
    const failed = await site.ask('/v1/plans', { method: 'POST', body: { envelope, lease: plan.lease }, headers: WAIT });
    expect(failed.body).toMatchObject({ state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    rmSync(at('blocked.copy'));
    writeFileSync(at('first.copy'), 'changed since');
    const retried = await site.ask(`/v1/plans/${plan.plan_id}/retry`, { method: 'POST', body: { lease: (await leased(envelope)).lease }, headers: WAIT });
    expect(retried).toMatchObject({ status: 200, body: { state: 'success', steps_done: 2 } });
    expect(readFileSync(at('first.copy'), 'utf8')).toBe('changed since');
  });

  it('ends with CANCELLED before its next step', async () => {
    site.file('c.txt');
    await using paused = await site.paused();
    const envelope = envelopeOf([fileStep('FILE_COPY', at('c.txt'), at('c.1')), fileStep('FILE_COPY', at('c.txt'), at('c.2'))]);
    const plan = await leased(envelope);
    await site.ask('/v1/plans', { method: 'POST', body: { envelope, lease: plan.lease } });
    await expect.poll(async () => (await client.plans.get(plan.plan_id)).current?.operation).toBe('FILE_COPY');
    expect(await client.plans.cancel(plan.plan_id)).toMatchObject({ ended: false, answer: { cancel: 'requested' } });
    await paused[Symbol.asyncDispose]();
    expect(await client.plans.wait(plan.plan_id, { timeoutMs: PATIENCE_MS })).toMatchObject({ state: 'failure', error: { code: 'CANCELLED' } });
    expect(existsSync(at('c.2'))).toBe(false);
  });

  it('is told in the stream of events, without an id, and never with its memory', async () => {
    const stop = new AbortController();
    const reply = await fetch(`${site.url}/v1/events`, { headers: { authorization: `Bearer ${site.secret('read')}` }, signal: stop.signal });
    site.file('e.txt');
    const envelope = envelopeOf([fileStep('FILE_COPY', at('e.txt'), at('e.copy'))], { state: { hidden: 'SECRET-MEMORY' } });
    const plan = await leased(envelope);
    await site.ask('/v1/plans', { method: 'POST', body: { envelope, lease: plan.lease } });
    let text = '';
    const decoder = new TextDecoder();
    if (reply.body === null) throw new Error('the stream has no body');
    for await (const chunk of Readable.fromWeb(reply.body)) {
      text += decoder.decode(chunk, { stream: true });
      if (new RegExp(`event: plan\\ndata: [^\\n]*${plan.plan_id}[^\\n]*"success"`).test(text)) break;
    }
    stop.abort();
    const events = text.split('\n\n').filter((event) => event.startsWith('event: plan\n'));
    expect(events.length).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(events.at(-1)?.split('data: ')[1] ?? '')).toEqual({
      plan_id: plan.plan_id,
      state: 'success',
      steps_done: 1,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(text).not.toContain('SECRET-MEMORY');
  });
});

describe('searches of the client', () => {
  it('answer with what was found, typed', async () => {
    site.file('needle-1.txt');
    const found = await client.search.files({ query: 'needle-', target_scope: 'base', max_results: 5 });
    expect(found).toMatchObject({ count: 1, truncated: false, results: [{ id: 'needle-1.txt', match_field: 'filename' }] });
    await expect(client.search.datasets({ query: 'x', target_scope: 'base', max_results: 5 })).rejects.toMatchObject({
      name: 'WritTaskError',
      code: 'SCOPE_NOT_ALLOWED',
    });
  });
});
