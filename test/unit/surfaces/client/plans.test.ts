import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WritClient, WritTaskError, WritTimeoutError } from '../../../../src/surfaces/client/index.ts';

interface Came {
  readonly ask: string;
  readonly prefer: string | undefined;
  readonly body: unknown;
}

/** A server that answers each request with the next of its script; a connection is lost where there is none. */
let server: http.Server;
let came: Came[];
let script: { status: number; body: unknown; headers?: http.OutgoingHttpHeaders }[];
beforeEach(async () => {
  came = [];
  script = [];
  server = http.createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      const prefer = request.headers['prefer'];
      came.push({ ask: `${request.method} ${request.url}`, prefer: String(prefer ?? '') || undefined, body: text === '' ? undefined : JSON.parse(text) });
      const next = script.shift();
      if (next) reply.writeHead(next.status, { 'content-type': 'application/json', ...next.headers }).end(JSON.stringify(next.body));
      else reply.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const client = () => new WritClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k', random: () => 0 });
const ID = 'ab'.repeat(32);
const envelope = { context: { memory: { session_id: 's', state: {} } } };
const plan = (state: string) => ({ plan_id: ID, state, steps_done: 1, cancel_requested: false, updated_at: '2026-01-01T00:00:00.000Z' });
const receipt = { plan_id: ID, receipt: 'accepted', queue: 'plan', location: `/v1/plans/${ID}` };

describe('plans of the client', () => {
  it('are pushed again when the connection was lost: the same plan each time', async () => {
    script = [
      { status: 503, body: { code: 'REDIS_UNAVAILABLE', detail: 'x' } },
      { status: 202, body: receipt, headers: { 'idempotency-replayed': 'true' } },
    ];
    expect(await client().plans.submit(envelope, { lease: 'l', traceparent: 't' })).toEqual({ ended: false, replayed: true, receipt });
    expect(came.map(({ ask, body }) => [ask, body])).toEqual([
      ['POST /v1/plans', { envelope, lease: 'l', traceparent: 't' }],
      ['POST /v1/plans', { envelope, lease: 'l', traceparent: 't' }],
    ]);
  });

  it('answer with the end when the server waited for it', async () => {
    script = [{ status: 200, body: plan('failure') }];
    expect(await client().plans.submit(envelope, { sign: true, wait: 5 })).toEqual({ ended: true, replayed: false, plan: plan('failure') });
    expect(came).toEqual([{ ask: 'POST /v1/plans?sign=true', prefer: 'wait=5', body: { envelope } }]);
  });

  it('are waited for in rounds, until the end or the time', async () => {
    script = [
      { status: 200, body: plan('running') },
      { status: 200, body: plan('success') },
    ];
    expect(await client().plans.wait(ID, { memory: true })).toEqual(plan('success'));
    expect(came.map(({ ask, prefer }) => [ask, prefer])).toEqual([
      [`GET /v1/plans/${ID}?memory=true`, 'wait=30'],
      [`GET /v1/plans/${ID}?memory=true`, 'wait=30'],
    ]);
    script = [{ status: 200, body: plan('running') }];
    await expect(client().plans.wait(ID, { timeoutMs: 0 })).rejects.toThrow(WritTimeoutError);
  });

  it('are cancelled and retried once, whatever becomes of the connection', async () => {
    script = [];
    await expect(client().plans.cancel(ID)).rejects.toMatchObject({ name: 'WritConnectionError' });
    expect(came).toHaveLength(1);
    script = [
      { status: 202, body: { plan_id: ID, cancel: 'requested', location: 'x' } },
      { status: 200, body: plan('success') },
    ];
    expect(await client().plans.cancel(ID)).toMatchObject({ ended: false, answer: { cancel: 'requested' } });
    expect(await client().plans.retry(ID, { lease: 'new', wait: 1 })).toEqual({ ended: true, plan: plan('success') });
    expect(came.at(-1)).toEqual({ ask: `POST /v1/plans/${ID}/retry`, prefer: 'wait=1', body: { lease: 'new' } });
  });

  it('ask for a new lease, or for none, or leave it to the server', async () => {
    script = [true, false, undefined].map(() => ({ status: 202, body: { plan_id: ID, regranted: true, location: 'x' } }));
    expect(await client().plans.retry(ID, { regrant: true })).toMatchObject({ ended: false, answer: { regranted: true } });
    await client().plans.retry(ID, { regrant: false });
    await client().plans.retry(ID);
    expect(came.map(({ body }) => body)).toEqual([{ regrant: true }, { regrant: false }, undefined]);
  });

  it('get their lease from the kernel with what they may do', async () => {
    const answer = { plan_id: ID, lease: 'l', capabilities: ['FILE_COPY'], envelope };
    script = [{ status: 201, body: answer }];
    expect(await client().leases.issuePlan(envelope, { ttl: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] })).toEqual(answer);
    expect(came[0]).toMatchObject({ ask: 'POST /v1/leases', body: { envelope, ttl: 60, capabilities: ['FILE_COPY'], scopes: ['/srv'] } });
  });
});

describe('searches of the client', () => {
  const inputs = { query: 'q', target_scope: 's', max_results: 3 };
  const output = { task_id: 'x', capability_id: 'SEARCH_EMAILS', target_scope: 's', results: [], count: 0, truncated: false };
  const ended = (result: unknown) => ({ task_id: 'x', state: 'success', result });

  it.each([
    ['files', 'SEARCH_FILES'],
    ['emails', 'SEARCH_EMAILS'],
    ['datasets', 'SEARCH_DATASETS'],
  ] as const)('%s pushes one signed %s and answers with its output', async (kind, capability) => {
    script = [{ status: 200, body: ended({ status: 'SUCCESS', output, error: null, signature: 's' }) }];
    expect(await client().search[kind](inputs)).toEqual(output);
    expect(came).toMatchObject([
      { ask: 'POST /v1/tasks?sign=true', prefer: 'wait=30', body: { manifest: { capability_id: capability, inputs, constraints: {} } } },
    ]);
    expect(JSON.stringify(came[0])).toMatch(/"task_id":"search-[0-9a-f-]{36}"/);
  });

  it('use the lease and the id that they are given, and wait on where the first answer was none', async () => {
    script = [
      { status: 202, body: { task_id: 'mine', receipt: 'accepted', queue: 'search', location: 'x' } },
      { status: 200, body: ended({ status: 'SUCCESS', output, error: null, signature: 's' }) },
    ];
    expect(await client().search.files(inputs, { taskId: 'mine', lease: 'l', timeoutMs: 5000 })).toEqual(output);
    expect(came.map(({ ask, body }) => [ask, body])).toEqual([
      ['POST /v1/tasks', { manifest: { task_id: 'mine', capability_id: 'SEARCH_FILES', inputs, constraints: {} }, lease: 'l' }],
      ['GET /v1/tasks/mine', undefined],
    ]);
  });

  it('throw what the executor said', async () => {
    const error = { error_code: 'SCOPE_NOT_ALLOWED', message: 'no such scope' };
    script = [{ status: 200, body: { task_id: 'x', state: 'failure', result: { status: 'FAILURE', output: null, error, signature: 's' } } }];
    const thrown = await client()
      .search.files(inputs, { taskId: 'x' })
      .catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(WritTaskError);
    expect(thrown).toMatchObject({ taskId: 'x', code: 'SCOPE_NOT_ALLOWED', message: 'SCOPE_NOT_ALLOWED: no such scope' });
    script = [{ status: 200, body: { task_id: 'x', state: 'failure', message: 'was no task' } }];
    await expect(client().search.files(inputs)).rejects.toMatchObject({ code: undefined, message: 'was no task' });
  });

  it('are listed page by page, and so are the steps of one', async () => {
    const step = { path: '0', task_id: 's', generation: 0, state: 'success', voided: false };
    script = [
      { status: 200, body: { plans: [plan('failure')], next: 'w1' } },
      { status: 200, body: { plans: [plan('success')] } },
      { status: 200, body: { plan_id: ID, state: 'running', retries: 0, updated_at: 'x', steps: [step], next: '1' } },
      { status: 200, body: { plan_id: ID, state: 'running', retries: 0, updated_at: 'x', steps: [] } },
    ];
    const states: string[] = [];
    for await (const { state } of client().plans.list({ error_code: 'X' }, { pageSize: 1 })) states.push(state);
    expect(states).toEqual(['failure', 'success']);
    const steps: unknown[] = [];
    for await (const one of client().plans.history(ID)) steps.push(one);
    expect(steps).toEqual([step]);
    expect(came.map(({ ask }) => ask)).toEqual([
      'GET /v1/plans?error_code=X&limit=1',
      'GET /v1/plans?error_code=X&limit=1&cursor=w1',
      `GET /v1/plans/${ID}/history`,
      `GET /v1/plans/${ID}/history?cursor=1`,
    ]);
  });
});
