import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signedEnd } from '../../../unit/surfaces/cli/world-plans.ts';
import { ENVELOPE, ID, JOB, LEASE, type PlansSite, startPlansSite } from './plans-site.ts';

/** The routes of plans over plans in memory; the driver is tested with the real queue. */

const WAIT = { prefer: 'wait=10' };

let site: PlansSite;

beforeEach(async () => {
  site = await startPlansSite();
});
afterEach(() => site[Symbol.asyncDispose]());

describe('POST /v1/plans', () => {
  it('queues the linked envelope and answers where to look', async () => {
    const { status, headers, body } = await site.push();
    expect(status).toBe(202);
    expect(body).toEqual({ plan_id: ID, receipt: 'accepted', queue: 'plan', location: `/v1/plans/${ID}` });
    expect(headers.get('location')).toBe(`/v1/plans/${ID}`);
    expect(site.plans.pushed).toEqual([{ envelope: ENVELOPE, lease: LEASE }]);
  });

  it('is the same plan when it is pushed again: in flight, then its end', async () => {
    await site.push();
    const again = await site.push();
    expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toMatchObject([202, 'true', { receipt: 'in_flight' }]);
    site.end('success');
    const done = await site.push();
    expect([done.status, done.headers.get('idempotency-replayed'), done.body]).toMatchObject([200, 'true', { plan_id: ID, state: 'success', steps_done: 2 }]);
    expect(done.text).not.toContain('secret');
  });

  it('runs a failed plan on, and waits for its new end, not the old one', async () => {
    site.end('failure');
    expect((await site.push()).body).toMatchObject({ receipt: 'retried' });
    site.plans.onPush = () => setTimeout(() => site.end('success'), 30);
    expect(await site.push(JOB, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('waits as long as the client prefers', async () => {
    site.plans.onPush = () => setTimeout(() => site.end('failure'), 30);
    const waited = await site.push(JOB, WAIT);
    expect(waited).toMatchObject({ status: 200, body: { state: 'failure', error: { code: 'TOOL_FAILED', message: 'no' } } });
    expect(waited.headers.get('preference-applied')).toBe('wait=10');
    expect(waited.text).not.toContain('secret');
    site.plans.onPush = undefined;
    expect((await site.push(JOB, { prefer: 'wait=0' })).status).toBe(202);
  });

  it.each([
    ['no lease', { envelope: ENVELOPE }, 403, 'INVALID_LEASE'],
    ['the lease of another plan', { ...JOB, lease: 'x' }, 403, 'INVALID_LEASE'],
    ['an expired lease', { ...JOB, lease: `expired-${ID}` }, 403, 'LEASE_EXPIRED'],
    ['an envelope that cannot be linked', { ...JOB, envelope: {} }, 400, 'INVALID_MANIFEST'],
    ['an envelope that is none', { ...JOB, envelope: 1 }, 400, 'INVALID_MANIFEST'],
    ['a key of JavaScript', '{"envelope":{"__proto__":{}}}', 400, 'INVALID_MANIFEST'],
    ['a field that is not known', { ...JOB, memory: {} }, 400, 'INVALID_ARGUMENT'],
  ])('refuses %s', async (_, body, status, code) => {
    const reply =
      typeof body === 'string'
        ? await site.fetch('/v1/plans', {
            method: 'POST',
            headers: { authorization: `Bearer ${site.secrets.submit}`, 'content-type': 'application/json' },
            body,
          })
        : undefined;
    const answer = reply ? { status: reply.status, body: await reply.json() } : await site.push(body);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(site.plans.pushed).toEqual([]);
  });

  it('lets an expired lease read the end of a plan that has succeeded', async () => {
    site.end('success');
    expect(await site.push({ ...JOB, lease: `expired-${ID}` })).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('has the kernel sign with sign=true, for those who may', async () => {
    expect(await site.push({ envelope: ENVELOPE }, {}, 'submit', '?sign=true')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.push({ envelope: ENVELOPE }, {}, 'all', '?sign=true')).toMatchObject({ status: 202 });
    expect(site.audit).toMatchObject([
      { action: 'lease.issue', subject: ID, outcome: 'asked' },
      { action: 'lease.issue', outcome: 'done' },
    ]);
  });

  it('does not hand out an end that no executor signed', async () => {
    site.plans.show(ID, { state: 'success', result: signedEnd(ID).replace('good', 'forged') });
    expect(await site.push()).toMatchObject({ status: 502, body: { code: 'INVALID_RESULT' } });
  });
});

describe('GET /v1/plans/:id', () => {
  it('shows how far it is, to submit and read', async () => {
    site.plans.show(ID, { state: 'running', stepsDone: 1, current: { path: '0/x', tool: 'writ.file', operation: 'FILE_COPY', taskId: 's-1' } });
    for (const role of ['submit', 'read'] as const) {
      expect(await site.ask('GET', `/v1/plans/${ID}`, role)).toMatchObject({
        status: 200,
        body: { plan_id: ID, state: 'running', steps_done: 1, current: { path: '0/x', tool: 'writ.file', operation: 'FILE_COPY', task_id: 's-1' } },
      });
    }
    const { headers } = await site.ask('GET', `/v1/plans/${ID}`, 'read');
    expect((await site.ask('GET', `/v1/plans/${ID}`, 'read', undefined, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('shows memory and results only to those who may operate, and only when they ask', async () => {
    site.end('success');
    for (const role of ['submit', 'read', 'all'] as const) expect((await site.ask('GET', `/v1/plans/${ID}`, role)).text).not.toContain('secret');
    expect(await site.ask('GET', `/v1/plans/${ID}?memory=true`, 'read')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await site.ask('GET', `/v1/plans/${ID}?memory=true`, 'all')).body).toMatchObject({
      result: { plan_sha256: ID, envelope: { output: { memory: { state: { secret: 'memory' } } } } },
    });
    expect((await site.ask('GET', `/v1/plans/${ID}?memory=yes`, 'all')).status).toBe(400);
  });

  it('waits for the end when asked', async () => {
    site.plans.show(ID, { state: 'running' });
    setTimeout(() => site.end('success'), 30);
    expect(await site.ask('GET', `/v1/plans/${ID}`, 'read', undefined, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('knows no other plans, and no other ids', async () => {
    expect(await site.ask('GET', `/v1/plans/${'a'.repeat(64)}`, 'read')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await site.ask('GET', '/v1/plans/x', 'read')).status).toBe(400);
  });
});

describe('operators of plans', () => {
  it('cancel one, audited', async () => {
    site.plans.show(ID, { state: 'running' });
    expect(await site.ask('POST', `/v1/plans/${ID}/cancel`, 'operate')).toMatchObject({ status: 202, body: { plan_id: ID, cancel: 'requested' } });
    expect((await site.ask('GET', `/v1/plans/${ID}`, 'read')).body).toMatchObject({ cancel_requested: true });
    site.end('failure');
    expect(await site.ask('POST', `/v1/plans/${ID}/cancel`, 'operate')).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
    expect(await site.ask('POST', `/v1/plans/${'a'.repeat(64)}/cancel`, 'operate')).toMatchObject({ status: 404 });
    expect(site.audit.filter(({ subject }) => subject === ID).map(({ action, who, outcome }) => [action, who, outcome])).toEqual([
      ['plan.cancel', 'operate', 'asked'],
      ['plan.cancel', 'operate', 'done'],
      ['plan.cancel', 'operate', 'asked'],
      ['plan.cancel', 'operate', 'refused'],
    ]);
  });

  it('run a failed one on, with a new lease if they bring one', async () => {
    site.end('failure');
    expect(await site.ask('POST', `/v1/plans/${ID}/retry`, 'operate')).toMatchObject({ status: 202, body: { plan_id: ID, location: `/v1/plans/${ID}` } });
    expect(await site.ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: 'of-another' })).toMatchObject({ status: 403, body: { code: 'INVALID_LEASE' } });
    site.plans.onPush = () => setTimeout(() => site.end('success'), 30);
    expect(await site.ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: LEASE }, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
    expect(site.plans.retried).toEqual([undefined, LEASE]);
    expect(await site.ask('POST', `/v1/plans/${ID}/retry`, 'operate')).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
  });
});

describe('POST /v1/leases for a plan', () => {
  it('answers the lease, the id and the linked envelope', async () => {
    const wish = { envelope: ENVELOPE, ttl: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] };
    const { status, headers, body } = await site.ask('POST', '/v1/leases', 'kernel', wish);
    expect(status).toBe(201);
    expect(body).toEqual({ plan_id: ID, lease: LEASE, capabilities: ['FILE_COPY'], envelope: ENVELOPE });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(site.asked).toEqual([{ ttlS: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] }]);
    expect(site.audit).toMatchObject([{ action: 'lease.issue', subject: ID }, { outcome: 'done' }]);
  });

  it.each([
    [{}, 'INVALID_MANIFEST', 'manifest'],
    [{ manifest: { task_id: 1 } }, 'INVALID_MANIFEST', 'manifest.task_id'],
    [{ envelope: 1 }, 'INVALID_MANIFEST', 'envelope'],
    [{ envelope: ENVELOPE, ttl: 0 }, 'INVALID_ARGUMENT', 'ttl'],
    [{ envelope: ENVELOPE, confirmed_by: 'x' }, 'INVALID_ARGUMENT', 'confirmed_by'],
    [{ envelope: {} }, 'INVALID_MANIFEST', undefined],
  ])('names what is wrong with %j', async (body, code, field) => {
    expect(await site.ask('POST', '/v1/leases', 'kernel', body)).toMatchObject({ status: 400, body: { code, ...(field === undefined ? {} : { field }) } });
  });
});

describe('GET /v1/plans', () => {
  it('finds plans by their state, for those who may read', async () => {
    await site.push();
    site.end('failure');
    expect((await site.ask('GET', '/v1/plans?state=failure', 'read')).body).toMatchObject({
      plans: [{ plan_id: ID, state: 'failure', error: { code: 'TOOL_FAILED' } }],
    });
    expect((await site.ask('GET', '/v1/plans?state=running', 'read')).body).toEqual({ plans: [] });
    expect((await site.ask('GET', '/v1/plans', 'submit')).body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(['state=broken', 'limit=0', 'limit=501', 'since=yesterday', 'colour=red'])('refuses ?%s', async (query) => {
    expect(await site.ask('GET', `/v1/plans?${query}`, 'read')).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
  });

  it('tells the steps of a plan, none of one that has not begun, and NOT_FOUND of a stranger', async () => {
    await site.push();
    expect((await site.ask('GET', `/v1/plans/${ID}/history`, 'read')).body).toMatchObject({ plan_id: ID, state: 'waiting', retries: 0, steps: [] });
    const step = { path: '0', task_id: 's-1', generation: 0, state: 'success', voided: false } as const;
    site.plans.histories.set(ID, { plan_id: ID, state: 'running', retries: 2, updated_at: new Date(0).toISOString(), steps: [step] });
    expect((await site.ask('GET', `/v1/plans/${ID}/history`, 'read')).body).toMatchObject({ retries: 2, steps: [step] });
    expect(await site.ask('GET', `/v1/plans/${'0'.repeat(64)}/history`, 'read')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});
