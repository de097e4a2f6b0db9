import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TaskJob, type TaskManifest } from '../../../../src/contracts/index.ts';
import { type Ask, type Reply, type Site, startSite } from './routes-site.ts';

describe('POST /v1/tasks with one task', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    await site.rig.startWorker();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const push = async (manifest: TaskManifest, { headers, as = 'submit', lease, query = '' }: Ask & { lease?: string; query?: string } = {}): Promise<Reply> =>
    site.ask(`/v1/tasks${query}`, {
      method: 'POST',
      as,
      ...(headers ? { headers } : {}),
      body: { manifest, lease: lease ?? (await site.rig.lease(manifest)) },
    });
  const WAIT = { prefer: 'respond-async, wait=60' };

  it('queues it, and answers 202 with where its outcome will lie', async () => {
    const manifest = site.manifest('accepted');
    const reply = await push(manifest);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/v1/tasks/${manifest.task_id}`);
    expect(reply.body).toEqual({ task_id: manifest.task_id, receipt: 'accepted', queue: 'file', location: `/v1/tasks/${manifest.task_id}` });
    expect((await site.rig.answer(manifest.task_id)).status).toBe('SUCCESS');
  });

  it('hands the context of the request on in the job, unless the body has one; one that is none stays behind', async () => {
    const context = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
    const contextOf = async (headers: Record<string, string>, traceparent?: string): Promise<unknown> => {
      const manifest = site.manifest('traced');
      const body = { manifest, lease: await site.rig.lease(manifest), ...(traceparent === undefined ? {} : { traceparent }) };
      await site.ask('/v1/tasks', { method: 'POST', as: 'submit', headers: { ...WAIT, ...headers }, body });
      const job = await site.rig.enqueue.jobState(manifest.task_id);
      return TaskJob.parse(job?.data).traceparent;
    };
    expect(await contextOf({ traceparent: context('a') })).toBe(context('a'));
    expect(await contextOf({ traceparent: context('a') }, context('b'))).toBe(context('b'));
    expect(await contextOf({ traceparent: 'garbage' })).toBeUndefined();
  });

  it('answers with the signed result when the client prefers to wait', async () => {
    const manifest = site.manifest('waited');
    const reply = await push(manifest, { headers: WAIT });
    expect(reply).toMatchObject({
      status: 200,
      body: { task_id: manifest.task_id, state: 'success', capability_id: 'FILE_MOVE', result: { status: 'SUCCESS' } },
    });
    expect(reply.headers.get('preference-applied')).toBe('wait=60');
    expect(await site.rig.verify(manifest, JSON.stringify(reply.body.result))).toBe(true);
    expect(existsSync(String(manifest.inputs['destination_path']))).toBe(true);
  });

  it('takes a task for later under a lease that counts then, and none that ends before', async () => {
    const manifest = site.manifest('later');
    const notBefore = new Date(Date.now() + 48 * 3_600_000).toISOString();
    const query = `?not_before=${encodeURIComponent(notBefore)}&priority=3`;
    expect(await push(manifest, { query })).toMatchObject({
      status: 403,
      body: { code: 'LEASE_EXPIRED', detail: expect.stringContaining('before the task may run') },
    });
    const signed = await site.ask(`/v1/tasks${query}&sign=true`, { method: 'POST', as: 'operator', body: { manifest } });
    expect(signed).toMatchObject({ status: 202, body: { receipt: 'accepted' } });
    const job = await site.rig.enqueue.jobState(manifest.task_id);
    expect(job?.state).toBe('delayed');
    expect((await site.ask(`/v1/tasks/${manifest.task_id}`)).body).toMatchObject({ state: 'delayed', not_before: notBefore });
    expect((await site.services.signatures()).peek(TaskJob.parse(job?.data).lease ?? '')?.iat).toBe(Math.floor(Date.parse(notBefore) / 1000));
    expect((await push(manifest, { query: '?not_before=tomorrow' })).body).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'not_before' });
  });

  it('says what a push would meet with dry_run, and leaves no trace of it', async () => {
    const manifest = site.manifest('dry');
    const audited = () => (existsSync(site.rig.places.audit) ? site.audit().length : 0);
    const before = audited();
    const lease = await site.rig.lease(manifest);
    const dry = (as: 'submit' | 'operator', sign = false, task = manifest, under?: string) =>
      site.ask(`/v1/tasks?dry_run=true${sign ? '&sign=true' : ''}`, {
        method: 'POST',
        as,
        body: { manifest: task, ...(under === undefined ? {} : { lease: under }) },
      });
    expect(await dry('submit', false, manifest, lease)).toMatchObject({
      status: 200,
      body: {
        would: 'run',
        authority: 'lease',
        obstacles: [],
        effect: { operation: 'move', source: manifest.inputs['source_path'], bytes: expect.any(Number) },
      },
    });
    expect((await dry('operator', true)).body).toMatchObject({ would: 'run', authority: 'grantable', obstacles: [] });
    expect((await dry('submit', true)).body).toMatchObject({ code: 'FORBIDDEN' });
    expect(existsSync(String(manifest.inputs['source_path']))).toBe(true);
    expect(await site.rig.enqueue.jobState(manifest.task_id)).toBeUndefined();
    expect(await site.services.tasks.ledger.row(manifest.task_id)).toBeUndefined();
    expect(audited()).toBe(before);
    // The id is not taken either: another manifest may have it.
    const other = { ...manifest, inputs: { source_path: manifest.inputs['source_path'], destination_path: site.file('taken') } };
    expect((await dry('operator', true, other)).body).toMatchObject({
      would: 'refuse',
      obstacles: [{ code: 'EXECUTION_FAILED', field: 'manifest.inputs.destination_path', message: 'the destination exists' }],
    });
    const gone = { ...manifest, inputs: { ...manifest.inputs, source_path: `${String(manifest.inputs['source_path'])}.gone` } };
    expect((await dry('operator', true, gone)).body.obstacles).toMatchObject([
      { field: 'manifest.inputs.source_path', message: expect.stringContaining('does not exist') },
    ]);
  });

  it('looks at no file in a dry run without authority: who may not touch a file is not told of it', async () => {
    const there = site.manifest('secret');
    const gone = { ...there, inputs: { ...there.inputs, source_path: `${String(there.inputs['source_path'])}.gone` } };
    const answers = await Promise.all(
      [there, gone].map(
        async (manifest) => (await site.ask('/v1/tasks?dry_run=true', { method: 'POST', as: 'submit', body: { manifest, lease: 'a.b.c' } })).body,
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ would: 'refuse', authority: 'none', obstacles: [{ code: 'INVALID_LEASE' }] });
      expect(answer.effect).toBeUndefined();
    }
  });

  it('never waits longer than http.max_wait_s, and says so', async () => {
    const manifest = site.manifest('long');
    const reply = await push(manifest, { headers: { prefer: 'wait="99999"; x=1' } });
    expect(reply.headers.get('preference-applied')).toBe('wait=60');
  });

  it('gives the same push the same answer and no second effect', async () => {
    const manifest = site.manifest('twice');
    const first = await push(manifest, { headers: WAIT });
    const again = await push(manifest);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.body.result).toEqual(first.body.result);
  });

  it('answers a finished task also under a lease that has expired meanwhile', async () => {
    const manifest = site.manifest('late');
    await push(manifest, { headers: WAIT });
    const now = Math.floor(Date.now() / 1000);
    const expired = await site.rig.lease(manifest, { iat: now - 100, exp: now - 10 });
    expect(await push(manifest, { lease: expired })).toMatchObject({ status: 200, body: { state: 'success' } });
  });

  it('refuses other bytes under the same id with 422', async () => {
    const manifest = site.manifest('bytes');
    await push(manifest, { headers: WAIT });
    const other = { ...manifest, inputs: { ...manifest.inputs, destination_path: '/elsewhere' } };
    expect(await push(other)).toMatchObject({ status: 422, body: { code: 'TASK_ID_CONFLICT', field: 'manifest.task_id' } });
  });

  it('runs a task that has failed before again', async () => {
    const manifest = site.manifest('again', { inputs: { source_path: `${site.rig.base}/not-there`, destination_path: `${site.rig.base}/there` } });
    expect(await push(manifest, { headers: WAIT })).toMatchObject({
      status: 200,
      body: { state: 'failure', result: { error: { error_code: 'EXECUTION_FAILED' } } },
    });
    site.file('not-there');
    expect(await push(manifest)).toMatchObject({ status: 202, body: { receipt: 'retried' } });
    expect((await site.rig.answer(manifest.task_id, ({ status }) => status === 'SUCCESS')).status).toBe('SUCCESS');
  });

  describe('judges the lease before anything is queued', () => {
    const refused: readonly (readonly [string, string, (manifest: TaskManifest) => Promise<string | undefined>])[] = [
      ['no lease', 'INVALID_LEASE', async () => undefined],
      ['something that is no lease', 'INVALID_LEASE', async () => 'a.b.c'],
      ['a lease for another manifest', 'INVALID_LEASE', (manifest) => site.rig.lease({ ...manifest, constraints: { sensitivity: 'LOW' } })],
      ['a lease for another queue', 'INVALID_LEASE', (manifest) => site.rig.lease(manifest, { aud: 'file@other' })],
      ['a lease of another issuer', 'INVALID_LEASE', (manifest) => site.rig.lease(manifest, { iss: 'somebody' })],
      ['a lease that has expired', 'LEASE_EXPIRED', (manifest) => site.rig.lease(manifest, { iat: 1, exp: 2 })],
    ];
    it.each(refused)('refuses %s with %s', async (name, code, lease) => {
      const manifest = site.manifest(name.replaceAll(' ', '-'));
      const token = await lease(manifest);
      const reply = await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body: { manifest, ...(token === undefined ? {} : { lease: token }) } });
      expect(reply).toMatchObject({ status: 403, body: { code, field: 'lease' } });
      expect(reply.headers.get('content-type')).toContain('application/problem+json');
      expect(await site.rig.enqueue.jobState(manifest.task_id)).toBeUndefined();
    });
  });

  it('pushes to the queue that is named, under a lease for that queue', async () => {
    const manifest = site.manifest('elsewhere');
    const lease = await site.rig.lease(manifest, { aud: 'file@archive' });
    expect(await push(manifest, { lease, query: '?queue=file@archive&attempts=3' })).toMatchObject({ status: 202, body: { queue: 'file@archive' } });
    expect(await site.rig.enqueue.jobState(manifest.task_id, 'file@archive')).toMatchObject({ state: 'waiting' });
    const nowhere = site.manifest('nowhere');
    const other = await site.rig.lease(nowhere, { aud: 'nowhere' });
    expect(await push(nowhere, { lease: other, query: '?queue=nowhere' })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'queue' } });
  });

  it.each([
    ['{', 'INVALID_MANIFEST', undefined],
    ['{"manifest":{"task_id":"a","task_id":"b"}}', 'INVALID_MANIFEST', undefined],
    ['{"manifest":{"task_id":"../x","capability_id":"FILE_MOVE","inputs":{},"constraints":{}}}', 'INVALID_MANIFEST', 'manifest.task_id'],
    ['{"manifest":{"task_id":"x","capability_id":"FILE_MOVE","inputs":{"__proto__":1},"constraints":{}}}', 'INVALID_MANIFEST', 'manifest.inputs.__proto__'],
    ['{"manifest":{"task_id":"x","capability_id":"FILE_MOVE","inputs":{},"constraints":{}},"more":1}', 'INVALID_ARGUMENT', 'more'],
  ])('refuses %s with %s', async (body, code, field) => {
    const reply = await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body, headers: { 'content-type': 'application/json' } });
    expect(reply).toMatchObject({ status: 400, body: { code, ...(field === undefined ? {} : { field }) } });
  });

  it('has the kernel sign when it is asked to, for those who may', async () => {
    const manifest = site.manifest('signed');
    const ask = { method: 'POST', body: { manifest }, headers: WAIT };
    expect(await site.ask('/v1/tasks?sign=true', { ...ask, as: 'submit' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await site.ask('/v1/tasks?sign=true', { ...ask, as: 'operator' })).toMatchObject({ status: 200, body: { state: 'success' } });
    expect(site.audit().filter(({ subject }) => subject === manifest.task_id)).toMatchObject([
      { action: 'lease.issue', outcome: 'asked', who: 'operator', surface: 'http' },
      { action: 'lease.issue', outcome: 'done' },
    ]);
  });

  it('is for keys with the role submit', async () => {
    const manifest = site.manifest('role');
    expect(await push(manifest, { as: 'nobody' })).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(await push(manifest, { as: 'read' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('shows a task with an ETag, and waits for its outcome when asked to', async () => {
    const manifest = site.manifest('shown');
    await push(manifest);
    const where = `/v1/tasks/${manifest.task_id}`;
    const shown = await site.ask(where, { as: 'read', headers: { prefer: 'wait=60' } });
    expect(shown).toMatchObject({ status: 200, body: { state: 'success', capability_id: 'FILE_MOVE' } });
    const etag = shown.headers.get('etag') ?? '';
    // The job is settled a moment after the outcome is recorded, which changes its view once.
    const settled = await site.ask(where, { as: 'read', headers: { 'if-none-match': etag } });
    const last = settled.headers.get('etag') ?? '';
    expect(await site.ask(where, { as: 'read', headers: { 'if-none-match': `"x", ${last}` } })).toMatchObject({ status: 304, text: '' });
    expect(await site.ask('/v1/tasks/unheard-of', { as: 'read' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await site.ask('/v1/tasks/..%2Fx', { as: 'read' })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
  });

  it('shows a job that is no task at all as failed', async () => {
    const redis = await site.rig.redis.client();
    await redis.hset('{writ}:file:t_broken', 'data', '{no json', 'name', 'x', 'timestamp', 'soon', 'failedReason', 'malformed');
    await redis.zadd('{writ}:file:failed', 1, 't_broken');
    expect(await site.ask('/v1/tasks/broken', { as: 'read' })).toMatchObject({
      status: 200,
      body: { task_id: 'broken', state: 'failure', message: 'malformed' },
    });
  });
});

describe('POST /v1/tasks when Redis is nearly full', () => {
  it('answers 429 with Retry-After, and queues nothing', async () => {
    await using site = await startSite({ config: { redis: { high_water: 0.5 } } });
    const redis = await site.rig.redis.client();
    await redis.config('SET', 'maxmemory', '1mb');
    const manifest = site.manifest('full');
    const reply = await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body: { manifest, lease: await site.rig.lease(manifest) } });
    expect(reply).toMatchObject({ status: 429, body: { code: 'REDIS_FULL' } });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    const line = JSON.stringify({ manifest, lease: await site.rig.lease(manifest) });
    const bulk = await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body: line, headers: { 'content-type': 'application/x-ndjson' } });
    expect(bulk).toMatchObject({ status: 429, body: { code: 'REDIS_FULL' } });
  });
});
