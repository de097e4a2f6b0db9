import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../../src/contracts/index.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { WritError } from '../../../../src/core/errors.ts';
import type { OperatorAction, PlanTerms } from '../../../../src/core/ports/index.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createPlanTwin, type PlanTwin, planIdOfEnvelope, signedEnd } from '../../../unit/surfaces/cli/world-plans.ts';
import { type Site, startSite } from './core-site.ts';

/** The routes of plans over plans in memory; the driver is tested with the real queue. */

const ENVELOPE = { payload: { steps: [{ type: 'tool', ref: 'writ.file', params: {} }] } };
const ID = planIdOfEnvelope(ENVELOPE);
const LEASE = `lease-of-${ID}`;
const JOB = { v: 1, envelope: ENVELOPE, lease: LEASE };
const WAIT = { prefer: 'wait=10' };

let site: Site;
let plans: PlanTwin;
let audit: OperatorAction[];
let asked: PlanTerms[];
let tick = 0;
/** `undefined`: nobody can tell. */
let paused: readonly string[] | undefined = [];

beforeEach(async () => {
  plans = createPlanTwin(() => Date.now());
  audit = [];
  asked = [];
  paused = [];
  const kernelUnused = async (): Promise<never> => {
    throw new WritError('KERNEL_UNAVAILABLE', 'not asked');
  };
  site = await startSite({
    routes: ROUTES,
    services: {
      clock: systemClock,
      plans: plans.door,
      queues: {
        list: async () => [],
        paused: async () => paused ?? kernelUnused(),
        pausedAround: async () => paused?.find((name) => name === 'plan'),
        set: kernelUnused,
      },
      kernel: async () => ({
        issue: kernelUnused,
        judge: kernelUnused,
        regrant: kernelUnused,
        undo: kernelUnused,
        revoke: kernelUnused,
        leasedManifest: kernelUnused,
        ping: kernelUnused,
        approvals: { list: kernelUnused, decide: kernelUnused },
        schedules: { add: kernelUnused, list: kernelUnused, show: kernelUnused, act: kernelUnused },
        async issuePlan(envelope, terms) {
          asked.push(terms);
          return { planSha256: planIdOfEnvelope(envelope), lease: LEASE, jti: 'j', exp: 4_000_000_000, capabilities: ['FILE_COPY'] };
        },
      }),
      audit: {
        async append(entry) {
          audit.push(entry);
          return { ...entry, v: 1, n: audit.length, at: '', prev: '', hash: '' };
        },
      },
    },
  });
});
afterEach(() => site[Symbol.asyncDispose]());

async function ask(method: string, path: string, as: Role | 'all', body?: unknown, headers: Record<string, string> = {}) {
  const reply = await site.fetch(path, {
    method,
    headers: { authorization: `Bearer ${site.secrets[as]}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>) };
}

const push = (body: unknown = JOB, headers: Record<string, string> = {}, as: Role | 'all' = 'submit', query = '') =>
  ask('POST', `/v1/plans${query}`, as, body, headers);

function end(state: 'success' | 'failure', id = ID): void {
  tick += 1;
  const error = state === 'failure' ? { code: 'TOOL_FAILED', message: 'no' } : undefined;
  plans.show(id, { state, stepsDone: 2, current: undefined, error, result: signedEnd(id, { secret: 'memory' }), updated: Date.now() + tick });
}

describe('a plan that a paused queue holds up', () => {
  it('says so to whoever waits in vain, and to whoever looks', async () => {
    paused = ['plan'];
    expect(await push(JOB, { prefer: 'wait=0' })).toMatchObject({ status: 202, body: { paused_queue: 'plan' } });
    expect((await push()).body).not.toHaveProperty('paused_queue');
    expect((await ask('GET', `/v1/plans/${ID}`, 'read')).body).toMatchObject({ state: 'waiting', paused_queue: 'plan' });
    paused = [];
    expect((await ask('GET', `/v1/plans/${ID}`, 'read')).body).not.toHaveProperty('paused_queue');
  });

  it('says so of a retry, a cancel and an undo that are waited for', async () => {
    paused = ['plan'];
    await push();
    expect((await ask('POST', `/v1/plans/${ID}/cancel`, 'operate', undefined, { prefer: 'wait=0' })).body).toMatchObject({ paused_queue: 'plan' });
    end('failure');
    expect((await ask('GET', `/v1/plans/${ID}`, 'read')).body).not.toHaveProperty('paused_queue');
    plans.onPush = (id) => plans.show(id, { state: 'waiting' });
    const retried = await ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: LEASE }, { prefer: 'wait=0' });
    expect(retried).toMatchObject({ status: 202, body: { paused_queue: 'plan' } });
  });

  it('is shown as ever where nobody can tell', async () => {
    paused = undefined;
    await push();
    expect(await ask('GET', `/v1/plans/${ID}`, 'read')).toMatchObject({ status: 200, body: { state: 'waiting' } });
  });
});

describe('POST /v1/plans', () => {
  it('queues the linked envelope and answers where to look', async () => {
    const { status, headers, body } = await push();
    expect(status).toBe(202);
    expect(body).toEqual({ plan_id: ID, receipt: 'accepted', queue: 'plan', location: `/v1/plans/${ID}` });
    expect(headers.get('location')).toBe(`/v1/plans/${ID}`);
    expect(plans.pushed).toEqual([{ envelope: ENVELOPE, lease: LEASE }]);
  });

  it('is the same plan when it is pushed again: in flight, then its end', async () => {
    await push();
    const again = await push();
    expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toMatchObject([202, 'true', { receipt: 'in_flight' }]);
    end('success');
    const done = await push();
    expect([done.status, done.headers.get('idempotency-replayed'), done.body]).toMatchObject([200, 'true', { plan_id: ID, state: 'success', steps_done: 2 }]);
    expect(done.text).not.toContain('secret');
  });

  it('runs a failed plan on, and waits for its new end, not the old one', async () => {
    end('failure');
    expect((await push()).body).toMatchObject({ receipt: 'retried' });
    plans.onPush = () => setTimeout(() => end('success'), 30);
    expect(await push(JOB, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('waits as long as the client prefers', async () => {
    plans.onPush = () => setTimeout(() => end('failure'), 30);
    const waited = await push(JOB, WAIT);
    expect(waited).toMatchObject({ status: 200, body: { state: 'failure', error: { code: 'TOOL_FAILED', message: 'no' } } });
    expect(waited.headers.get('preference-applied')).toBe('wait=10');
    expect(waited.text).not.toContain('secret');
    plans.onPush = undefined;
    expect((await push(JOB, { prefer: 'wait=0' })).status).toBe(202);
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
    const answer = reply ? { status: reply.status, body: await reply.json() } : await push(body);
    expect(answer).toMatchObject({ status, body: { code } });
    expect(plans.pushed).toEqual([]);
  });

  it('lets an expired lease read the end of a plan that has succeeded', async () => {
    end('success');
    expect(await push({ ...JOB, lease: `expired-${ID}` })).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('has the kernel sign with sign=true, for those who may', async () => {
    expect(await push({ envelope: ENVELOPE }, {}, 'submit', '?sign=true')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await push({ envelope: ENVELOPE }, {}, 'all', '?sign=true')).toMatchObject({ status: 202 });
    expect(audit).toMatchObject([
      { action: 'lease.issue', subject: ID, outcome: 'asked' },
      { action: 'lease.issue', outcome: 'done' },
    ]);
  });

  it('does not hand out an end that no executor signed', async () => {
    plans.show(ID, { state: 'success', result: signedEnd(ID).replace('good', 'forged') });
    expect(await push()).toMatchObject({ status: 502, body: { code: 'INVALID_RESULT' } });
  });
});

describe('GET /v1/plans/:id', () => {
  it('shows how far it is, to submit and read', async () => {
    plans.show(ID, { state: 'running', stepsDone: 1, current: { path: '0/x', tool: 'writ.file', operation: 'FILE_COPY', taskId: 's-1' } });
    for (const role of ['submit', 'read'] as const) {
      expect(await ask('GET', `/v1/plans/${ID}`, role)).toMatchObject({
        status: 200,
        body: { plan_id: ID, state: 'running', steps_done: 1, current: { path: '0/x', tool: 'writ.file', operation: 'FILE_COPY', task_id: 's-1' } },
      });
    }
    const { headers } = await ask('GET', `/v1/plans/${ID}`, 'read');
    expect((await ask('GET', `/v1/plans/${ID}`, 'read', undefined, { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  it('shows memory and results only to those who may operate, and only when they ask', async () => {
    end('success');
    for (const role of ['submit', 'read', 'all'] as const) expect((await ask('GET', `/v1/plans/${ID}`, role)).text).not.toContain('secret');
    expect(await ask('GET', `/v1/plans/${ID}?memory=true`, 'read')).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await ask('GET', `/v1/plans/${ID}?memory=true`, 'all')).body).toMatchObject({
      result: { plan_sha256: ID, envelope: { output: { memory: { state: { secret: 'memory' } } } } },
    });
    expect((await ask('GET', `/v1/plans/${ID}?memory=yes`, 'all')).status).toBe(400);
  });

  it('waits for the end when asked', async () => {
    plans.show(ID, { state: 'running' });
    setTimeout(() => end('success'), 30);
    expect(await ask('GET', `/v1/plans/${ID}`, 'read', undefined, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('knows no other plans, and no other ids', async () => {
    expect(await ask('GET', `/v1/plans/${'a'.repeat(64)}`, 'read')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await ask('GET', '/v1/plans/x', 'read')).status).toBe(400);
  });
});

describe('operators of plans', () => {
  it('cancel one, audited', async () => {
    plans.show(ID, { state: 'running' });
    expect(await ask('POST', `/v1/plans/${ID}/cancel`, 'operate')).toMatchObject({ status: 202, body: { plan_id: ID, cancel: 'requested' } });
    expect((await ask('GET', `/v1/plans/${ID}`, 'read')).body).toMatchObject({ cancel_requested: true });
    end('failure');
    expect(await ask('POST', `/v1/plans/${ID}/cancel`, 'operate')).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
    expect(await ask('POST', `/v1/plans/${'a'.repeat(64)}/cancel`, 'operate')).toMatchObject({ status: 404 });
    expect(audit.filter(({ subject }) => subject === ID).map(({ action, who, outcome }) => [action, who, outcome])).toEqual([
      ['plan.cancel', 'operate', 'asked'],
      ['plan.cancel', 'operate', 'done'],
      ['plan.cancel', 'operate', 'asked'],
      ['plan.cancel', 'operate', 'refused'],
    ]);
  });

  it('run a failed one on, with a new lease if they bring one', async () => {
    end('failure');
    expect(await ask('POST', `/v1/plans/${ID}/retry`, 'operate')).toMatchObject({ status: 202, body: { plan_id: ID, location: `/v1/plans/${ID}` } });
    expect(await ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: 'of-another' })).toMatchObject({ status: 403, body: { code: 'INVALID_LEASE' } });
    plans.onPush = () => setTimeout(() => end('success'), 30);
    expect(await ask('POST', `/v1/plans/${ID}/retry`, 'operate', { lease: LEASE }, WAIT)).toMatchObject({ status: 200, body: { state: 'success' } });
    expect(plans.retried).toEqual([undefined, LEASE]);
    expect(await ask('POST', `/v1/plans/${ID}/retry`, 'operate')).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
  });
});

describe('POST /v1/leases for a plan', () => {
  it('answers the lease, the id and the linked envelope', async () => {
    const wish = { envelope: ENVELOPE, ttl: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] };
    const { status, headers, body } = await ask('POST', '/v1/leases', 'kernel', wish);
    expect(status).toBe(201);
    expect(body).toEqual({ plan_id: ID, lease: LEASE, capabilities: ['FILE_COPY'], envelope: ENVELOPE });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(asked).toEqual([{ ttlS: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] }]);
    expect(audit).toMatchObject([{ action: 'lease.issue', subject: ID }, { outcome: 'done' }]);
  });

  it.each([
    [{}, 'INVALID_MANIFEST', 'manifest'],
    [{ manifest: { task_id: 1 } }, 'INVALID_MANIFEST', 'manifest.task_id'],
    [{ envelope: 1 }, 'INVALID_MANIFEST', 'envelope'],
    [{ envelope: ENVELOPE, ttl: 0 }, 'INVALID_ARGUMENT', 'ttl'],
    [{ envelope: ENVELOPE, confirmed_by: 'x' }, 'INVALID_ARGUMENT', 'confirmed_by'],
    [{ envelope: {} }, 'INVALID_MANIFEST', undefined],
  ])('names what is wrong with %j', async (body, code, field) => {
    expect(await ask('POST', '/v1/leases', 'kernel', body)).toMatchObject({ status: 400, body: { code, ...(field === undefined ? {} : { field }) } });
  });
});

describe('GET /v1/plans', () => {
  it('finds plans by their state, for those who may read', async () => {
    await push();
    end('failure');
    expect((await ask('GET', '/v1/plans?state=failure', 'read')).body).toMatchObject({
      plans: [{ plan_id: ID, state: 'failure', error: { code: 'TOOL_FAILED' } }],
    });
    expect((await ask('GET', '/v1/plans?state=running', 'read')).body).toEqual({ plans: [] });
    expect((await ask('GET', '/v1/plans', 'submit')).body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each(['state=broken', 'limit=0', 'limit=501', 'since=yesterday', 'colour=red'])('refuses ?%s', async (query) => {
    expect(await ask('GET', `/v1/plans?${query}`, 'read')).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
  });

  it('tells the steps of a plan, none of one that has not begun, and NOT_FOUND of a stranger', async () => {
    await push();
    expect((await ask('GET', `/v1/plans/${ID}/history`, 'read')).body).toMatchObject({ plan_id: ID, state: 'waiting', retries: 0, steps: [] });
    const step = { path: '0', task_id: 's-1', generation: 0, state: 'success', voided: false } as const;
    plans.histories.set(ID, { plan_id: ID, state: 'running', retries: 2, updated_at: new Date(0).toISOString(), steps: [step] });
    expect((await ask('GET', `/v1/plans/${ID}/history`, 'read')).body).toMatchObject({ retries: 2, steps: [step] });
    expect(await ask('GET', `/v1/plans/${'0'.repeat(64)}/history`, 'read')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});
