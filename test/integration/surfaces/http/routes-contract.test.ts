import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { type Envelope, WritClient } from '../../../../src/surfaces/client/index.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { type Ask, linesOf, type Reply, type Site, startSite } from './routes-site.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-writ-roles': 'open' | 'any' | readonly string[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: AnySchema }>>; readonly headers?: object }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, AnySchema>> };
}

const WAIT = { prefer: 'wait=60' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Every answer of every operation is held against the OpenAPI document that the server itself hands out. */
describe('the OpenAPI document', () => {
  let site: Site;
  let document: Document;
  let ajv: Ajv2020;
  const answered = new Map<string, Set<number>>();

  beforeAll(async () => {
    site = await startSite();
    await site.rig.startWorker();
    document = (await site.ask('/openapi.json', { as: 'nobody' })).body as Document;
    ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true, date: true, uri: true } });
    ajv.addSchema({ $id: 'https://writ.invalid/document', components: document.components });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const compiled = new Map<string, ValidateFunction>();
  /** Compiled once for all answers of one schema. */
  const validator = (schema: AnySchema): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"https://writ.invalid/document#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as AnySchema);
    compiled.set(text, validate);
    return validate;
  };

  const operationOf = (method: string, where: string): readonly [string, Operation] => {
    const path = where.split('?', 1)[0] ?? '';
    const exact = document.paths[path]?.[method.toLowerCase()];
    if (exact) return [path, exact];
    for (const [template, methods] of Object.entries(document.paths)) {
      const operation = methods[method.toLowerCase()];
      if (operation && new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path)) return [template, operation];
    }
    throw new Error(`the document has no ${method} ${path}`);
  };

  /** Asks, and holds the answer against the document. */
  const held = async (where: string, ask: Ask = {}): Promise<Reply> => {
    const [, operation] = operationOf(ask.method ?? 'GET', where);
    const reply = await site.ask(where, ask);
    const about = `${operation.operationId} ${reply.status} ${reply.text.slice(0, 300)}`;
    const spec = operation.responses[String(reply.status)];
    expect(spec, about).toBeDefined();
    answered.set(operation.operationId, (answered.get(operation.operationId) ?? new Set()).add(reply.status));
    const type = reply.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const content = Object.entries(spec?.content ?? {}).find(([given]) => given.split(';', 1)[0] === type)?.[1];
    if (reply.text === '') expect(spec?.content, about).toBeUndefined();
    else {
      expect(content, `${about} as ${type}`).toBeDefined();
      const validate = validator(content?.schema ?? false);
      const bodies = type === 'application/x-ndjson' ? linesOf(reply.text) : [type.includes('json') ? (JSON.parse(reply.text) as unknown) : reply.text];
      for (const body of bodies) expect(validate(body), `${about}\n${JSON.stringify(validate.errors)}`).toBe(true);
    }
    return reply;
  };

  it('describes every answer: valid, invalid, unauthorized, forbidden and conflicting', async () => {
    const manifest = site.manifest('contract');
    const lease = (await held('/v1/leases', { method: 'POST', body: { manifest } })).body.lease as string;
    const failing = site.manifest('gone', { inputs: { source_path: `${site.rig.base}/no-such-file`, destination_path: `${site.rig.base}/x` } });
    const push = (body: unknown, more: Ask = {}) => held('/v1/tasks', { method: 'POST', body, ...more });

    expect((await push({ manifest, lease })).status).toBe(202);
    expect((await push({ manifest, lease }, { headers: WAIT })).status).toBe(200);
    expect((await push({ manifest })).status).toBe(403);
    expect((await push({ manifest: { ...manifest, inputs: {} }, lease: await site.rig.lease({ ...manifest, inputs: {} }) })).status).toBe(422);
    expect((await push({ manifest: 1 })).status).toBe(400);
    expect(await push('x', { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      body: { detail: 'the Content-Type is text/plain; a body is application/json, or application/x-ndjson where the path takes many' },
    });
    expect(await push(`{"x":"${'y'.repeat(2_000_000)}"}`, { headers: { 'content-type': 'application/json' } })).toMatchObject({
      status: 413,
      body: { detail: expect.stringMatching(/^the body has more than \d+ bytes, which http\.max_body_bytes/) },
    });
    expect((await push(`${JSON.stringify({ manifest, lease })}\nx\n`, { headers: NDJSON })).status).toBe(200);
    expect((await held('/v1/tasks?sign=true', { method: 'POST', body: { manifest: failing }, headers: WAIT })).body).toMatchObject({ state: 'failure' });

    const shown = await held(`/v1/tasks/${manifest.task_id}`);
    expect((await held(`/v1/tasks/${manifest.task_id}`, { headers: { 'if-none-match': shown.headers.get('etag') ?? '' } })).status).toBe(304);
    expect((await held('/v1/tasks/unheard-of')).status).toBe(404);
    expect((await held(`/v1/tasks/${'x'.repeat(200)}`)).status).toBe(400);

    await vi.waitFor(async () => expect((await held('/v1/tasks?state=failure')).body.tasks).toHaveLength(1), PATIENCE);
    expect((await held('/v1/tasks?limit=x')).status).toBe(400);

    expect((await held(`/v1/tasks/${failing.task_id}/retry`, { method: 'POST', body: { regrant: true } })).status).toBe(202);
    await site.rig.answer(failing.task_id);
    expect((await held(`/v1/tasks/${manifest.task_id}/retry`, { method: 'POST', headers: WAIT })).status).toBe(409);
    expect((await held(`/v1/tasks/${manifest.task_id}/cancel`, { method: 'POST' })).status).toBe(409);
    expect((await held(`/v1/tasks/${manifest.task_id}/undo`, { method: 'POST', headers: WAIT })).status).toBe(200);
    expect((await held(`/v1/tasks/${manifest.task_id}/undo`, { method: 'POST' })).status).toBe(409);
    expect((await held('/v1/tasks/retry', { method: 'POST', body: { filter: {} } })).status).toBe(200);
    expect((await held('/v1/tasks/retry', { method: 'POST', body: { filter: { state: 'waiting' } } })).status).toBe(400);

    const nowhere = site.manifest('open');
    {
      await using _ = await site.paused();
      await push({ manifest: nowhere, lease: await site.rig.lease(nowhere) });
      expect((await held(`/v1/tasks/${nowhere.task_id}/cancel`, { method: 'POST' })).status).toBe(202);
    }
    await site.rig.answer(nowhere.task_id);

    expect((await held('/v1/leases', { method: 'POST', body: { manifest: { ...nowhere, capability_id: 'FILE_SHRED' } } })).status).toBeGreaterThanOrEqual(400);
    const keys = await held('/v1/keys');
    expect((await held('/v1/keys', { headers: { 'if-none-match': keys.headers.get('etag') ?? '' } })).status).toBe(304);
    expect((await held('/v1/events', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
    for (const where of ['/healthz', '/readyz', '/metrics', '/openapi.json']) expect((await held(where)).status).toBe(200);
  });

  it('describes every answer about plans', async () => {
    site.file('plan.txt');
    const at = (name: string): string => `${site.rig.base}/${name}`;
    const envelope = envelopeOf([fileStep('FILE_COPY', at('plan.txt'), at('plan.copy'))]);
    const { lease, plan_id } = (await held('/v1/leases', { method: 'POST', body: { envelope } })).body as { lease: string; plan_id: string };
    expect((await held('/v1/leases', { method: 'POST', body: { envelope: {} } })).status).toBe(400);
    const push = (body: unknown, more: Ask = {}) => held('/v1/plans', { method: 'POST', body, ...more });
    expect((await push({ envelope })).status).toBe(403);
    expect((await push({ envelope: {} })).status).toBe(400);
    expect((await push({ envelope, lease })).status).toBe(202);
    expect((await push({ envelope, lease }, { headers: WAIT })).status).toBe(200);
    const shown = await held(`/v1/plans/${plan_id}`);
    expect((await held(`/v1/plans/${plan_id}`, { headers: { 'if-none-match': shown.headers.get('etag') ?? '' } })).status).toBe(304);
    expect((await held(`/v1/plans/${plan_id}?memory=true`)).body.result.plan_sha256).toBe(plan_id);
    expect((await held(`/v1/plans/${plan_id}?memory=true`, { as: 'read' })).status).toBe(403);
    expect((await held(`/v1/plans/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await held(`/v1/plans/${plan_id}/cancel`, { method: 'POST' })).status).toBe(409);
    expect((await held(`/v1/plans/${plan_id}/retry`, { method: 'POST' })).status).toBe(409);

    const failing = envelopeOf([fileStep('FILE_COPY', at('no-such-file'), at('x'))]);
    const failed = await push({ envelope: failing }, { headers: WAIT, as: 'operator' }).then(({ status }) => status);
    expect(failed).toBe(403);
    const signed = await held('/v1/plans?sign=true', { method: 'POST', body: { envelope: failing }, headers: WAIT });
    expect(signed.body).toMatchObject({ state: 'failure', error: { code: 'EXECUTION_FAILED' } });
    await vi.waitFor(async () => expect((await held(`/v1/plans/${signed.body.plan_id}/retry`, { method: 'POST' })).status).toBe(202), PATIENCE);
    expect((await held('/v1/plans/retry', { method: 'POST', body: { filter: {} } })).status).toBe(200);
    expect((await held('/v1/plans/retry?dry_run=true', { method: 'POST', body: { filter: {} } })).status).toBe(200);
    expect((await held('/v1/plans/retry', { method: 'POST', body: { filter: { state: 'running' } } })).status).toBe(400);

    const waiting = envelopeOf([fileStep('FILE_COPY', at('plan.txt'), at('plan.2'))]);
    await using _ = await site.paused();
    const open = (await held('/v1/plans?sign=true', { method: 'POST', body: { envelope: waiting } })).body as { plan_id: string };
    expect((await held(`/v1/plans/${open.plan_id}/cancel`, { method: 'POST' })).status).toBe(202);
  });

  it('describes every answer about approvals, of which only the role that is named gives one, and a plan that waited goes on', async () => {
    site.file('approved.txt');
    const at = (name: string): string => `${site.rig.base}/${name}`;
    const approval = (question: string): object => ({
      ...{ type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', save: { to: { limit: '$.data.data.limit' } } },
      params: { role: 'approve', question, deadline_s: 600 },
    });
    const bad = envelopeOf([{ type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params: { role: 'boss', deadline_s: 0 } }]);
    const refused = await held('/v1/plans?sign=true', { method: 'POST', body: { envelope: bad } });
    expect(refused.body.problems?.map(({ field }: { field: string }) => field)).toEqual(
      ['deadline_s', 'question', 'role'].map((name) => `payload.steps.0.params.${name}`),
    );

    const steps = [approval('Copy it?'), fileStep('FILE_COPY', at('approved.txt'), at('approved.copy')), approval('And then?')];
    const { plan_id: id } = (await held('/v1/plans?sign=true', { method: 'POST', body: { envelope: envelopeOf(steps) } })).body as { plan_id: string };
    const open = async (question: string): Promise<string> =>
      vi.waitFor(async () => {
        const { approvals } = (await held('/v1/approvals', { as: 'approve' })).body as { approvals: { plan_id: string; question: string; step: string }[] };
        expect(approvals).toMatchObject([{ plan_id: id, question }]);
        return approvals[0]?.step ?? '';
      }, PATIENCE);
    const first = await open('Copy it?');
    await vi.waitFor(async () => expect((await held(`/v1/plans/${id}`)).body.current?.waits).toMatchObject({ for: 'approval', role: 'approve' }), PATIENCE);
    const say = (answer: string, step: string, more: Ask = {}, said: object = {}) =>
      held(`/v1/plans/${id}/${answer}`, { method: 'POST', as: 'approve', body: { step, ...said }, ...more });
    expect((await say('approve', first, { as: 'operate' })).body).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      detail: expect.stringContaining('role approve'),
    });
    expect((await say('approve', 's-unheard-of')).status).toBe(404);
    expect((await say('deny', first, {}, { data: {} })).status).toBe(400);
    const yes = await say('approve', first, {}, { note: 'fine', data: { limit: 3 } });
    expect(yes).toMatchObject({ status: 200, body: { state: 'approved', decided_by: 'approve (http)' } });
    const second = await open('And then?');
    expect((await say('approve', first)).body).toEqual(yes.body);
    expect((await say('deny', first)).status).toBe(409);
    expect((await held('/v1/approvals', { as: 'approve' })).body.approvals).toMatchObject([{ step: second, state: 'open' }]);

    const { plans } = new WritClient({ baseUrl: site.url, key: site.secret('approve') });
    expect(await plans.deny(id, { step: second, note: 'enough' })).toMatchObject({ state: 'denied' });
    const ended = await held(`/v1/plans/${id}?memory=true`, { headers: WAIT });
    expect(ended.body).toMatchObject({
      state: 'failure',
      error: { code: 'APPROVAL_DENIED', message: expect.stringMatching(/^denied by approve \(http\) at .*: enough$/) },
    });
    expect(ended.body.result.envelope.output).toMatchObject({ memory: { state: { limit: 3 } }, results: [{ ok: true }, { ok: true }, { ok: false }] });
    expect((await plans.approvals({ plan: id })).approvals).toMatchObject([{ state: 'approved' }, { state: 'denied' }]);
    const told = site.audit().filter(({ subject, outcome }) => subject === id && outcome !== 'asked');
    expect(told.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      ...[
        'lease.issue done',
        'plan.approve refused',
        'plan.approve refused',
        'plan.deny refused',
        'plan.approve done',
        'plan.approve done',
        'plan.deny refused',
        'plan.deny done',
      ],
    ]);
  });

  it('takes the question of a cancelled plan from those that wait, until a retry stands at it again', async () => {
    const params = { role: 'approve', question: 'Still?', deadline_s: 3600 };
    const { plans } = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    const pushed = await plans.submit(envelopeOf([{ type: 'tool', ref: 'writ.approval', operation: 'APPROVAL', params }]) as Envelope, { sign: true });
    const id = pushed.ended ? pushed.plan.plan_id : pushed.receipt.plan_id;
    const states = async (plan?: string) => (await plans.approvals(plan === undefined ? {} : { plan })).approvals.map(({ state }) => state);
    await vi.waitFor(async () => expect(await states(id)).toEqual(['open']), PATIENCE);
    await plans.cancel(id);
    expect(await plans.wait(id)).toMatchObject({ state: 'failure', error: { code: 'CANCELLED' } });
    expect([await states(), await states(id)]).toEqual([[], ['withdrawn']]);
    await plans.retry(id);
    await vi.waitFor(async () => expect([await states(), await states(id)]).toEqual([['open'], ['open']]), PATIENCE);
    await plans.cancel(id);
    await plans.wait(id);
  });

  it('moves the file of the example once somebody has said yes', async () => {
    const source = site.file('contract.txt');
    const text = readFileSync(join(packageRoot(), 'examples/plans/approved-move.json'), 'utf8');
    const there = text.replace('/srv/office/drafts/contract.txt', source).replace('/srv/office/signed/contract.txt', `${site.rig.base}/signed.txt`);
    const { plans } = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
    const pushed = await plans.submit(JSON.parse(there) as Envelope, { sign: true });
    const id = pushed.ended ? pushed.plan.plan_id : pushed.receipt.plan_id;
    const asked = await vi.waitFor(async () => {
      const [one] = (await plans.approvals({ plan: id })).approvals;
      if (one === undefined) throw new Error('not yet');
      return one;
    }, PATIENCE);
    expect(existsSync(source)).toBe(true);
    await plans.approve(id, { step: asked.step });
    expect(await plans.wait(id, { memory: true })).toMatchObject({
      state: 'success',
      result: { envelope: { output: { memory: { state: { approved: { by: 'operator (http)' } } } } } },
    });
    expect([existsSync(source), existsSync(`${site.rig.base}/signed.txt`)]).toEqual([false, true]);
  });

  it('describes what strangers and keys without the role are told, on every path', async () => {
    for (const [template, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const where = template.replace('{id}', 'unheard-of');
        const roles = operation['x-writ-roles'];
        const ask = { method: method.toUpperCase() };
        if (roles === 'open' || where === '/metrics') continue;
        expect((await held(where, { ...ask, as: 'nobody' })).status, where).toBe(401);
        const without = roles.includes('ingest') ? 'read' : 'ingest';
        if (roles !== 'any') expect((await held(where, { ...ask, as: without })).status, where).toBe(403);
      }
    }
  });

  it('names no operation that was not asked', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect([...answered.keys()].toSorted()).toEqual(operations.toSorted());
  });
});
