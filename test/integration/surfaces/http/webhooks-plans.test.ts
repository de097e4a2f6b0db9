import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlanEnds } from '../../../../queues/plan-ends.ts';
import { createMemoryTaskIndex } from '../../../../src/adapters/memory/task-index.ts';
import { createPlanHistories } from '../../../../src/adapters/sqlite/plan-journal/plan-histories.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import type { Webhooks } from '../../../../src/core/ports/index.ts';
import { type NoticeLine, WritClient } from '../../../../src/surfaces/client/index.ts';
import { outcomeForNotice } from '../../../../src/surfaces/shared/webhooks.ts';
import { commandLine } from '../../../support/command-line.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { envelopeOf, fileStep } from '../../../support/plan-rig.ts';
import { type Receiver, receiver } from '../../../support/webhook-receiver.ts';
import { webhooksOf } from '../../../support/webhooks.ts';
import { type Site, startSite } from './routes-site.ts';

/** Ends of plans, told by the real queue, kernel, worker and journal to a real receiver. */

let site: Site;
let at: Receiver;
let client: WritClient;

beforeAll(async () => {
  at = await receiver();
  const endpoint = { url: at.url, capabilities: ['*'], keys: [], allow: ['127.0.0.1'] };
  // Of tasks only `tasks` is told: `*` stands for no plan.
  site = await startSite({
    webhooks: {
      tasks: endpoint,
      every: { ...endpoint, capabilities: [], plans: true },
      named: { ...endpoint, capabilities: [] },
      keyed: { ...endpoint, capabilities: [], keys: ['kernel'] },
    },
  });
  await site.rig.startWorker();
  client = new WritClient({ baseUrl: site.url, key: site.secret('operator') });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

const path = (name: string): string => join(site.rig.base, name);
const told = ({ endpoint, state }: NoticeLine): string => `${endpoint} ${state}`;

/** A plan that copies a file of its own name. */
function copyPlan(name: string): Record<string, unknown> {
  site.file(`${name}.txt`);
  return envelopeOf([fileStep('FILE_COPY', path(`${name}.txt`), path(`${name}.copy`))]) as Record<string, unknown>;
}

async function settled(planId: string, count: number, webhooks: Pick<Webhooks, 'notices'> = site.services.webhooks): Promise<readonly NoticeLine[]> {
  const done = async () => (await webhooks.notices({ plan: planId }, { limit: 50 })).notices.filter(({ state }) => state !== 'pending');
  await expect.poll(async () => (await done()).length, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(count);
  return done();
}

const idOf = (pushed: Awaited<ReturnType<WritClient['plans']['submit']>>): string => (pushed.ended ? pushed.plan.plan_id : pushed.receipt.plan_id);

describe('webhooks of plans', () => {
  it('tell the end of a plan with its signed end inside, to whoever is told of every plan and to whom the push names', async () => {
    const id = idOf(await client.plans.submit(copyPlan('named'), { sign: true, webhook: 'named' }));
    const done = await settled(id, 2);
    expect(done.map(told).sort()).toEqual(['every delivered', 'named delivered']);
    expect(done[0]).toMatchObject({ plan_id: id });
    const { result } = await client.plans.get(id, { memory: true });
    for (const notice of done) {
      const one = at.received.find((received) => received.id === notice.id);
      expect(one?.id).toBe(notice.id);
      expect(JSON.parse(one?.body ?? '')).toMatchObject({ type: 'plan.succeeded', timestamp: expect.stringMatching(/Z$/), data: { plan_id: id, result } });
      expect(await site.services.plans.signatures.verifyEnd(JSON.stringify(result), id)).toBe(true);
    }
  });

  it('are wished by HTTP, the command line and MCP, and by the key that pushes', async () => {
    const over = await site.ask('/v1/plans?sign=true&webhook=named', { method: 'POST', body: { envelope: copyPlan('over-http') } });
    expect(over.status).toBe(202);
    expect((await settled(over.body.plan_id, 2)).map(told).sort()).toEqual(['every delivered', 'named delivered']);

    const { places } = site.rig;
    writeFileSync(places.apiUrl, `${site.url}\n`);
    const [keyFile, planFile] = [join(places.dataDir, 'of-the-test.key'), join(places.dataDir, 'plan.json')];
    writeFileSync(keyFile, site.secret('operator'), { mode: 0o600 });
    writeFileSync(join(places.dataDir, 'writ.toml'), `[redis]\nurl = ${JSON.stringify(site.rig.config.redis.url)}\n`);
    writeFileSync(planFile, JSON.stringify(copyPlan('by-hand')));
    const writ = (...args: string[]) => commandLine(['--data-dir', places.dataDir, ...args]);
    const ran = await writ('plan', 'run', planFile, '--webhook', 'named', '--key', keyFile, '--json');
    expect(ran).toMatchObject({ code: 0, err: '' });
    const byHand = (JSON.parse(ran.out) as { plan_id: string }).plan_id;
    expect((await settled(byHand, 2)).map(told).sort()).toEqual(['every delivered', 'named delivered']);
    expect(await writ('webhooks', 'list', '--plan', byHand, '--key', keyFile)).toMatchObject({ code: 0, out: expect.stringContaining(`plan ${byHand}`) });
    expect(await writ('plan', 'run', planFile, '--webhook', 'nobody', '--key', keyFile)).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });

    const mcp = new Client({ name: 'test', version: '1' });
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', site.url), { requestInit: { headers: { authorization: `Bearer ${site.secret('operator')}` } } }),
    );
    const called = await mcp.callTool({ name: 'submit_plan', arguments: { envelope: copyPlan('over-mcp'), sign: true, webhook: 'named' } });
    await mcp.close();
    expect((await settled((called.structuredContent as { plan_id: string }).plan_id, 2)).map(told).sort()).toEqual(['every delivered', 'named delivered']);

    await expect(site.services.webhooks.want([{ subject: 'plan:x', manifestSha256: 'x' }], 'another', 'keyed')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await site.ask('/v1/plans?sign=true&webhook=keyed', { method: 'POST', body: { envelope: copyPlan('refused') } })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  });

  it('tell a plan that fails, is retried and ends again each time, in this order', async () => {
    site.file('blocked.copy');
    const id = idOf(await client.plans.submit(copyPlan('blocked'), { sign: true, webhook: 'named' }));
    await settled(id, 2);
    rmSync(path('blocked.copy'));
    await client.plans.retry(id);
    await settled(id, 4);
    const types = at.received
      .map(({ body }) => JSON.parse(body) as { type: string; data: { plan_id?: string } })
      .filter(({ data }) => data.plan_id === id)
      .map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['plan.failed', 'plan.failed']);
    expect(types.slice(2)).toEqual(['plan.succeeded', 'plan.succeeded']);
  });

  it('keep what a receiver refused for good, and send it again on request from the signed end', async () => {
    // Its step is told to `tasks`.
    for (let count = 0; count < 3; count += 1) at.answers.push((response) => void response.writeHead(410).end());
    const id = idOf(await client.plans.submit(copyPlan('dead'), { sign: true, webhook: 'named' }));
    const dead = await settled(id, 2);
    expect(dead.map(told).sort()).toEqual(['every dead', 'named dead']);
    expect(await client.webhooks.resend(dead[0]?.id ?? '')).toEqual({ resent: 1, left: 0 });
    await expect.poll(async () => (await client.webhooks.notices({ plan: id, state: 'delivered' })).notices.length, { timeout: PATIENCE_MS }).toBe(1);
    const texts = at.received.filter((one) => one.id === dead[0]?.id).map(({ body }) => body);
    expect(texts).toEqual([texts[0], texts[0]]);
  });

  it('tell what ended while no API ran, also when Redis has forgotten it: the plan journal has it', async () => {
    const { config, places, redis } = site.rig;
    const connection = await redis.client();
    const { tasks, plans } = site.services;
    const open = () => {
      const own = { connection, pool: config.pool.id, histories: createPlanHistories(places.planJournal), clock: systemClock };
      return webhooksOf(
        { late: { url: at.url, capabilities: [], plans: true, keys: [], allow: ['127.0.0.1'] } },
        {
          directory: join(places.dataDir, 'late-webhooks'),
          index: createMemoryTaskIndex(),
          plans: createPlanEnds(own),
          outcome: (one) => outcomeForNotice(one, { tasks, plans: plans.plans }),
        },
      );
    };
    const before = open();
    await before.start();
    const first = idOf(await client.plans.submit(copyPlan('while-up'), { sign: true }));
    await settled(first, 1, before);
    await before.stop();

    const [seen, forgotten] = [
      idOf(await client.plans.submit(copyPlan('while-down'), { sign: true })),
      idOf(await client.plans.submit(copyPlan('lost'), { sign: true })),
    ];
    for (const id of [seen, forgotten]) await client.plans.wait(id, { timeoutMs: PATIENCE_MS });
    const again = open();
    await again.start();
    await settled(seen, 1, again);
    await settled(forgotten, 1, again);
    await again.stop();

    const lost = idOf(await client.plans.submit(copyPlan('emptied'), { sign: true }));
    await client.plans.wait(lost, { timeoutMs: PATIENCE_MS });
    await redis.flushAll();
    const last = open();
    await last.start();
    expect((await settled(lost, 1, last)).map(told)).toEqual(['late delivered']);
    expect((await last.notices({}, { limit: 50 })).notices.filter(({ plan_id }) => plan_id === first)).toHaveLength(1);
    await last.stop();
  });
});
