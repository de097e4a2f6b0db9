import path from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { QUEUE_PREFIX } from '../../../../queues/catalog.ts';
import { createConnection } from '../../../../queues/connection.ts';
import { createPlanJobs, planJobId } from '../../../../queues/plan-jobs.ts';
import { createPlans } from '../../../../queues/plans.ts';
import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { createRedisPlanViews } from '../../../../src/adapters/redis/plan-views.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { peekPayload } from '../../../../src/core/peek-token.ts';
import { readPrivateKey } from '../../../../src/data-dir/key-files.ts';
import { createKernelConnection, kernelClient } from '../../../../src/kernel/index.ts';
import { signPlanLease } from '../../../../src/lease/index.ts';
import { type Envelope, WritApiError, WritClient } from '../../../../src/surfaces/client/index.ts';
import { planRetryServices, retryPlan } from '../../../../src/surfaces/shared/plans/retry.ts';
import { PATIENCE, PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { mcpOverHttp } from './mcp-client.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

/** Plans whose lease has run out, run on without their file: real kernel, worker, plan journal and Redis. */

let site: Site;
let client: WritClient;
let queue: Queue;
let made = 0;

beforeAll(async () => {
  site = await startSite();
  await site.rig.startWorker();
  client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
  queue = new Queue('plan', { connection: createConnection(site.rig.redis.target(), 'ledger'), prefix: QUEUE_PREFIX });
});
afterAll(async () => {
  await queue.close();
  await site[Symbol.asyncDispose]();
});

/** Files of the next plan. */
function freshPlace() {
  made += 1;
  const prefix = `regrant-${made}`;
  return { file: (name: string) => site.file(`${prefix}-${name}`), at: (name: string) => path.join(site.rig.base, `${prefix}-${name}`) };
}
const jobOf = (id: string) => queue.getJob(planJobId(id));

interface Stopped {
  readonly id: string;
  readonly envelope: Envelope;
  /** Makes it possible for its second step. */
  mend(): void;
}

/** A plan that has failed with LEASE_EXPIRED before its second step; the first one is done. */
async function stopped(scopes?: readonly string[]): Promise<Stopped> {
  const { file, at } = freshPlace();
  file('a');
  const steps = [fileStep('FILE_COPY', at('a'), at('a.copy')), fileStep('FILE_MOVE', at('b'), at('b.moved'))];
  const { plan_id: id, lease, envelope } = await client.leases.issuePlan(envelopeOf(steps) as Envelope);
  await client.plans.submit(envelope, { lease });
  const failedWith = async (code: string): Promise<void> => {
    await vi.waitFor(async () => expect((await client.plans.get(id)).error?.code).toBe(code), PATIENCE);
    // The end is told a moment before the queue has it.
    await vi.waitFor(async () => expect(await (await jobOf(id))?.getState()).toBe('failed'), PATIENCE);
  };
  await failedWith('EXECUTION_FAILED');
  await site.services.plans.plans.push({ envelope: envelope as never, lease: await expired(id, scopes) });
  await failedWith('LEASE_EXPIRED');
  return { id, envelope, mend: () => void file('b') };
}

/** A genuine lease of this kernel's that ended an hour ago. */
async function expired(plan: string, scopes?: readonly string[]): Promise<string> {
  const { config, places } = site.rig;
  const now = Math.floor(Date.now() / 1000);
  const payload = { v: 1, iss: config.lease.issuer, aud: 'plan', jti: crypto.randomUUID(), plan_sha256: plan, iat: now - 7200, exp: now - 3600 } as const;
  const allowed = { capabilities: ['FILE_COPY', 'FILE_MOVE'], ...(scopes === undefined ? {} : { scopes: [...scopes] }) };
  return signPlanLease({ ...payload, ...allowed }, await readPrivateKey(places.kernelKey), inlineEd25519(nodeEd25519()));
}

const retry = (id: string, body?: object, as: Parameters<Site['secret']>[0] = 'operate') => site.ask(`/v1/plans/${id}/retry`, { method: 'POST', as, body });
const succeeded = async (id: string): Promise<void> => {
  // Not by `wait`: until it runs its old end is shown.
  await vi.waitFor(async () => expect(await client.plans.get(id)).toMatchObject({ state: 'success', steps_done: 2 }), PATIENCE);
};
const gathered = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
};
const stepsOf = (id: string) => gathered(client.plans.history(id));
const audited = (id: string) => site.audit().filter(({ subject, action }) => subject === id && action === 'plan.retry');

describe('a failed plan whose lease has expired', () => {
  it('is run on under a new lease from the step where it stopped, and what was done before is not done again', async () => {
    const { id, mend } = await stopped();
    const before = await stepsOf(id);
    mend();
    expect(await retry(id)).toMatchObject({ status: 202, body: { plan_id: id, regranted: true, location: `/v1/plans/${id}` } });
    await succeeded(id);
    const after = await stepsOf(id);
    expect(after.filter(({ path: place }) => place === '0')).toEqual(before.filter(({ path: place }) => place === '0'));
    expect(after.filter(({ voided }) => !voided).map(({ path: place, state }) => [place, state])).toEqual([
      ['0', 'success'],
      ['1', 'success'],
    ]);
    expect(audited(id)).toMatchObject([
      { who: 'operate', outcome: 'asked' },
      { outcome: 'done', detail: { regranted: true } },
    ]);
  });

  it('gets no wider lease than it had', async () => {
    const { id, mend } = await stopped([site.rig.base]);
    mend();
    const old = peekPayload((await jobOf(id))?.data.lease) as Record<string, unknown>;
    expect(await retry(id, { regrant: true })).toMatchObject({ status: 202, body: { regranted: true } });
    await succeeded(id);
    const renewed = peekPayload((await jobOf(id))?.data.lease) as Record<string, unknown>;
    for (const field of ['iss', 'aud', 'plan_sha256', 'capabilities', 'scopes']) expect(renewed[field]).toEqual(old[field]);
    expect(renewed['scopes']).toEqual([site.rig.base]);
    expect(Number(renewed['exp']) * 1000).toBeGreaterThan(Date.now());
  });

  it('stays as it is when nobody allows a new lease, or asks who may not', async () => {
    const { id } = await stopped();
    expect(await retry(id, { regrant: false })).toMatchObject({ status: 403, body: { code: 'LEASE_EXPIRED', detail: expect.stringContaining('regrant') } });
    expect(await retry(id, { regrant: true, lease: await expired(id) })).toMatchObject({ status: 403, body: { code: 'LEASE_EXPIRED' } });
    const { lease } = await client.leases.issuePlan(envelopeOf([fileStep('FILE_COPY', '/x', '/y')]) as Envelope);
    expect(await retry(id, { lease })).toMatchObject({ status: 403, body: { code: 'INVALID_LEASE' } });
    expect(await retry(id, { regrant: 'yes' })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'regrant' } });
    for (const role of ['submit', 'read', 'kernel', 'approve'] as const)
      expect(await retry(id, { regrant: true }, role)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await (await jobOf(id))?.getState()).toBe('failed');
    expect(audited(id).map(({ outcome, detail }) => [outcome, detail?.['code']])).toEqual([
      ['asked', undefined],
      ['refused', 'LEASE_EXPIRED'],
      ['asked', undefined],
      ['refused', 'LEASE_EXPIRED'],
      ['asked', undefined],
      ['refused', 'INVALID_LEASE'],
    ]);
  });

  it('is refused with a lease that is brought and a regrant at once, and when nobody knows it or it has not failed', async () => {
    const { id, envelope, mend } = await stopped();
    const { lease } = await client.leases.issuePlan(envelope);
    expect(await retry(id, { regrant: true, lease })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'regrant' } });
    expect(await retry('0'.repeat(64), { regrant: true })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    mend();
    expect(await retry(id, { lease })).toMatchObject({ status: 202, body: { regranted: false } });
    await succeeded(id);
    expect(await retry(id, { regrant: true })).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
  });

  it('runs on once when two ask at once', async () => {
    const { id, mend } = await stopped();
    mend();
    await queue.pause();
    const answers = await Promise.all([retry(id), retry(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'WRONG_STATE' });
    expect(await retry(id, { regrant: true })).toMatchObject({ status: 409, body: { code: 'WRONG_STATE' } });
    await queue.resume();
    await succeeded(id);
  });

  it('is run on from the journal of this host when Redis has lost its job, or somebody has written another envelope into it', async () => {
    const [lost, forged] = [await stopped(), await stopped()];
    await (await jobOf(lost.id))?.remove();
    const redis = await site.rig.redis.client();
    const foreign = JSON.stringify({ v: 1, envelope: forged.envelope, lease: await expired(forged.id) }).replaceAll('FILE_MOVE', 'FILE_DELETE');
    await redis.hset(`${QUEUE_PREFIX}:plan:${planJobId(forged.id)}`, 'data', foreign);
    lost.mend();
    expect(await retry(lost.id)).toMatchObject({ status: 202, body: { regranted: true } });
    await succeeded(lost.id);
    forged.mend();
    expect(await retry(forged.id)).toMatchObject({ status: 202, body: { regranted: true } });
    await succeeded(forged.id);
  });

  it('is not renewed when its lease was revoked', async () => {
    const { at } = freshPlace();
    const { plan_id: id, lease, envelope } = await client.leases.issuePlan(envelopeOf([fileStep('FILE_MOVE', at('b'), at('b.moved'))]) as Envelope);
    await client.plans.submit(envelope, { lease });
    expect(await client.plans.wait(id, { timeoutMs: PATIENCE_MS })).toMatchObject({ state: 'failure' });
    await (await site.services.kernel({ name: 'test', roles: new Set() } as never)).revoke(lease);
    expect(await retry(id, { regrant: true })).toMatchObject({ status: 403, body: { code: 'LEASE_REFUSED', detail: expect.stringContaining('revoked') } });
  });
});

describe('a failed plan whose journal lies on another host', () => {
  it('is renewed by what its job holds, as far as that has its hash and is signed; nothing changes while the kernel is away', async () => {
    const { id, mend } = await stopped();
    mend();
    const { config, places, results } = site.rig;
    const connection = createConnection(site.rig.redis.target(), 'ledger');
    const jobs = createPlanJobs({ connection, pool: config.pool.id });
    const views = createRedisPlanViews({ redis: connection, retentionMs: config.ledger.retention_s * 1000 });
    const plans = createPlans({ jobs, views, ends: results, clock: systemClock });
    const operator = { regrantByDefault: true, clock: systemClock };
    const services = planRetryServices(
      { plans, signatures: site.services.plans.signatures },
      { ...operator, kernel: () => site.services.kernel({ name: 'x' } as never) },
    );
    const job = await jobOf(id);
    const genuine = job?.data as { envelope: object; lease: string };

    const away = createKernelConnection(`${places.kernelSocket}.nobody`);
    await expect(retryPlan(id, {}, { ...services, kernel: async () => kernelClient(away, 'x') })).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
    away.close();
    await job?.updateData({ ...genuine, envelope: { ...genuine.envelope, more: 1 } });
    await expect(retryPlan(id, { regrant: true }, services)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await job?.updateData({ ...genuine, lease: `${genuine.lease.slice(0, genuine.lease.lastIndexOf('.'))}.${'A'.repeat(86)}` });
    await expect(retryPlan(id, {}, services)).rejects.toMatchObject({ code: 'LEASE_REFUSED' });
    expect(await job?.getState()).toBe('failed');
    await job?.updateData(genuine);
    expect(await retryPlan(id, {}, services)).toEqual({ regranted: true });
    await succeeded(id);
    await jobs.close();
    connection.disconnect();
  });
});

describe('a regrant on other ways', () => {
  it('is one of many plans that a filter finds, each renewed or refused by itself', async () => {
    const begun = new Date().toISOString();
    const { id, mend } = await stopped();
    mend();
    const filter = { since: begun };
    const never = await site.ask('/v1/plans/retry', { method: 'POST', as: 'operate', body: { filter, regrant: false } });
    expect(linesOf(never.text)).toMatchObject([{ plan_id: id, outcome: 'refused', code: 'LEASE_EXPIRED' }, { summary: { plans: 1, retried: 0, refused: 1 } }]);
    expect(await client.plans.retryable(filter)).toMatchObject({ found: 1 });
    expect(await gathered(client.plans.retryMany(filter, { regrant: true }))).toEqual([{ plan_id: id, outcome: 'retried' }]);
    await succeeded(id);
  });

  it('is asked for by the client, or forbidden', async () => {
    const { id, mend } = await stopped();
    mend();
    await expect(client.plans.retry(id, { regrant: false })).rejects.toThrow(WritApiError);
    expect(await client.plans.retry(id, { regrant: true, wait: 60 })).toMatchObject({ ended: true, plan: { state: 'success' } });
  });

  it('is asked for over MCP, of one plan and of many', async () => {
    const begun = new Date().toISOString();
    const { id, mend } = await stopped();
    await using mcp = await mcpOverHttp(site, 'operate');
    expect(await mcp.call('retry_plan', { plan_id: id, regrant: false })).toMatchObject({ isError: true, answer: { code: 'LEASE_EXPIRED' } });
    expect(await mcp.call('retry_plans', { filter: { since: begun }, regrant: false })).toMatchObject({ answer: { refused_by: { LEASE_EXPIRED: 1 } } });
    mend();
    expect(await mcp.call('retry_plan', { plan_id: id, wait_s: 60 })).toMatchObject({
      isError: false,
      answer: { plan_id: id, regranted: true, plan: { state: 'success' } },
    });
    await using reader = await mcpOverHttp(site, 'kernel');
    expect(await reader.call('retry_plan', { plan_id: id })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
    expect(audited(id).filter(({ outcome }) => outcome === 'done')).toMatchObject([{ surface: 'mcp', detail: { regranted: true } }]);
  });
});
