import path from 'node:path';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { QUEUE_PREFIX } from '../../../../queues/catalog.ts';
import { createConnection } from '../../../../queues/connection.ts';
import { planJobId } from '../../../../queues/plan-jobs.ts';
import type { BulkPlanRetryLine } from '../../../../src/contracts/index.ts';
import { type Envelope, type RetriedPlans, WritClient } from '../../../../src/surfaces/client/index.ts';
import { PATIENCE, PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { mcpOverHttp } from './mcp-client.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

/** Failed plans found by a filter and run on, on the real queue, plan journal, kernel and worker. */

let site: Site;
let client: WritClient;
let queue: Queue;
let round = 0;

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
beforeEach(() => {
  round += 1;
});

const at = (name: string): string => path.join(site.rig.base, `${round}-${name}`);

const queueHasFailed = (id: string): Promise<void> =>
  vi.waitFor(async () => expect(await (await queue.getJob(planJobId(id)))?.getState()).toBe('failed'), PATIENCE);

/** A plan that fails since its file is missing; once that is there, it can run on. */
async function failing(name: string): Promise<string> {
  const pushed = await client.plans.submit(envelopeOf([fileStep('FILE_COPY', at(name), at(`${name}.copy`))]) as Envelope, { sign: true });
  const id = pushed.ended ? pushed.plan.plan_id : pushed.receipt.plan_id;
  expect(await client.plans.wait(id, { timeoutMs: PATIENCE_MS })).toMatchObject({ state: 'failure' });
  // The end is told a moment before the queue has it.
  await queueHasFailed(id);
  return id;
}

/** Those of this test only: earlier ones have changed before it began. */
const since = async <T>(make: () => Promise<T>): Promise<readonly [T, { readonly since: string }]> => {
  const begun = new Date().toISOString();
  return [await make(), { since: begun }];
};
const audited = () => site.audit().filter(({ action, subject }) => action === 'plan.retry_all' && subject.length > 2);
const succeeded = (id: string) => vi.waitFor(async () => expect(await client.plans.get(id)).toMatchObject({ state: 'success' }), PATIENCE);

describe('a failed plan that somebody has run on, and that waits', () => {
  it('is shown as what waits, and can be cancelled', async () => {
    const id = await failing('held');
    site.file(`${round}-held`);
    await queue.pause();
    try {
      await client.plans.retry(id);
      expect(await client.plans.get(id)).toMatchObject({ state: 'waiting' });
      expect(await client.plans.get(id)).not.toHaveProperty('error');
      await client.plans.cancel(id);
    } finally {
      await queue.resume();
    }
    await vi.waitFor(async () => expect(await client.plans.get(id)).toMatchObject({ state: 'failure', error: { code: 'CANCELLED' } }), PATIENCE);
    await queueHasFailed(id);
    await expect(client.plans.cancel(id)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    await client.plans.retry(id);
    await succeeded(id);
  });
});

describe('POST /v1/plans/retry', () => {
  it('counts first, then runs on what was counted, each plan once, audited with its filter and counts', async () => {
    const [ids, filter] = await since(() => Promise.all(['a', 'b', 'c'].map(failing)));
    for (const name of ['a', 'b', 'c']) site.file(`${round}-${name}`);
    const counted = await client.plans.retryable({ ...filter, error_code: 'EXECUTION_FAILED' });
    expect(counted).toEqual({ found: 3, rest: { ...filter, error_code: 'EXECUTION_FAILED', state: 'failure', until: expect.any(String) } });
    expect(audited()).toEqual([]);

    const lines: BulkPlanRetryLine[] = [];
    const run = client.plans.retryMany(counted.rest);
    let totals: RetriedPlans | undefined;
    for (let next = await run.next(); ; next = await run.next()) {
      if (next.done === true) {
        totals = next.value;
        break;
      }
      lines.push(next.value);
    }
    expect(totals).toEqual({ plans: 3, retried: 3, refused: 0 });
    expect(lines.map(({ plan_id, outcome }) => [plan_id, outcome]).sort()).toEqual(ids.map((id) => [id, 'retried']).sort());
    for (const id of ids) await succeeded(id);
    expect(await client.plans.retryable(counted.rest)).toMatchObject({ found: 0 });
    expect(JSON.parse(audited()[0]?.subject ?? '')).toEqual(counted.rest);
    expect(audited()).toMatchObject([
      { outcome: 'asked', who: 'operator', surface: 'http' },
      { outcome: 'done', detail: { page: 1, plans: 3, retried: 3, refused: 0 } },
      { outcome: 'done', detail: { end: 'complete', plans: 3 } },
    ]);
  });

  it('stops at its limit with the filter that goes on with the rest, and nothing that fails again is found by it', async () => {
    const [ids, filter] = await since(async () => [await failing('d'), await failing('e')]);
    const ask = async (body: object) => {
      const { status, text } = await site.ask('/v1/plans/retry', { method: 'POST', as: 'operate', body });
      expect(status).toBe(200);
      return linesOf(text) as [BulkPlanRetryLine, { summary: object; rest?: object }];
    };
    const [line, last] = await ask({ filter, limit: 1 });
    expect(last).toEqual({ summary: { plans: 1, retried: 1, refused: 0 }, rest: { ...filter, state: 'failure', until: expect.any(String) } });
    // Its file is still missing, so it fails again, later than the run began.
    await queueHasFailed(line.plan_id);
    const [other, end] = await ask({ filter: last.rest });
    expect([line.plan_id, other.plan_id].sort()).toEqual([...ids].sort());
    expect(end).toEqual({ summary: { plans: 1, retried: 1, refused: 0 } });
  });

  it('is about failed plans, by filters of plans, for keys with the role operate', async () => {
    const ask = (body: object, as: 'operate' | 'read' | 'submit' = 'operate') => site.ask('/v1/plans/retry', { method: 'POST', as, body });
    expect(await ask({ filter: { state: 'running' } })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'filter.state' } });
    expect(await ask({})).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', field: 'filter' } });
    expect(await ask({ filter: { capability: 'FILE_MOVE' } })).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } });
    for (const role of ['read', 'submit'] as const) expect(await ask({ filter: {} }, role)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});

describe('retry_plans over MCP', () => {
  async function connected(as: 'operate' | 'read') {
    const mcp = await mcpOverHttp(site, as);
    return { call: (args: object) => mcp.call('retry_plans', args), [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose]() };
  }

  it('counts, runs on, tells refusals, and is audited', async () => {
    const [[id, other], filter] = await since(async () => [await failing('f'), await failing('g')] as const);
    site.file(`${round}-f`);
    const job = await queue.getJob(planJobId(other));
    await (await site.services.kernel({ name: 'test', roles: new Set(), via: 'key' })).revoke(String(job?.data.lease));
    await using mcp = await connected('operate');
    const counted = await mcp.call({ filter, dry_run: true });
    expect(counted).toMatchObject({ isError: false, answer: { plans: 2, retried: 0, rest: { ...filter, state: 'failure' } } });
    const { rest } = counted.answer as { rest: object };
    const done = await mcp.call({ filter: rest, regrant: true });
    expect(done).toMatchObject({
      isError: false,
      answer: { plans: 2, retried: 1, refused: 1, refused_by: { LEASE_REFUSED: 1 }, refusals: [{ plan_id: other, code: 'LEASE_REFUSED' }] },
    });
    expect(done.answer).not.toHaveProperty('rest');
    await succeeded(id);
    const records = audited().filter(({ surface }) => surface === 'mcp');
    expect(JSON.parse(records[0]?.subject ?? '')).toEqual(rest);
    expect(records).toMatchObject([
      { outcome: 'asked', who: 'operate' },
      { outcome: 'done', detail: { page: 1, plans: 2 } },
      { outcome: 'done', detail: { end: 'complete', plans: 2, retried: 1, refused: 1 } },
    ]);
  });

  it('stops at its limit with the filter for the rest, and is refused without the role', async () => {
    const [, filter] = await since(async () => [await failing('h'), await failing('i')]);
    await using mcp = await connected('operate');
    expect((await mcp.call({ filter, limit: 1 })).answer).toMatchObject({ plans: 1, retried: 1, rest: { ...filter, state: 'failure' } });
    expect(await mcp.call({ filter: { state: 'success' } })).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT' } });
    await using reader = await connected('read');
    expect(await reader.call({ filter })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
  });
});
