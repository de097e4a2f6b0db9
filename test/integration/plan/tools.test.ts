import { existsSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerOk, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { envelopeOf, fileStep, startPlanRig } from '../../support/plan-rig.ts';

const call = (operation: string, n: number, changes: object = {}) => ({ type: 'tool', ref: 'test.http', operation, params: { n }, ...changes });
const DEFAULT_LOCKS = { lock_ms: 9000, renew_ms: 3000, stalled_ms: 3000, heartbeat_ms: 3000 };

describe('a plan with calls to the outside', () => {
  it('calls each tool once, with its task id as Idempotency-Key, and sees its answer', async () => {
    await using provider = await startHttpProvider();
    await using plans = await startPlanRig({ tools: { 'test.http': httpTool('test.http', provider.url, { send: 'once', put: 'idempotent' }) } });
    await plans.rig.startWorker();
    const { envelope } = await plans.run(envelopeOf([call('send', 1, { save: { to: { answer: '$.data.ok' } } }), call('put', 2)]));
    expect(envelope.error).toBeNull();
    expect(envelope.output.memory.state).toMatchObject({ answer: true });
    expect(provider.asked.map(({ path, body }) => [path, body])).toEqual([
      ['/send', { n: 1 }],
      ['/put', { n: 2 }],
    ]);
    expect(provider.asked.map(({ key }) => key)).toEqual([expect.stringMatching(/^s-[0-9a-f]{64}$/), expect.stringMatching(/^s-[0-9a-f]{64}$/)]);
  });

  it('sees the error of a tool as data, and a plan that ends with it fails with its code and can be retried', async () => {
    let broken = true;
    await using provider = await startHttpProvider((asked, response) =>
      broken && asked.path === '/send' ? void response.writeHead(500).end('broken') : answerOk(asked, response),
    );
    await using plans = await startPlanRig({ tools: { 'test.http': httpTool('test.http', provider.url, { send: 'once', put: 'idempotent' }) } });
    await plans.rig.startWorker();
    const plan = await plans.link(envelopeOf([call('put', 1), call('send', 2)]));
    await plans.push(plan);
    const failed = await plans.ended(plan.id);
    expect(failed.view.error?.code).toBe('TOOL_FAILED');
    broken = false;
    await expect.poll(() => plans.plans.retry(plan.id), { timeout: 10_000 }).toBe('retried');
    await plans.ended(plan.id, ({ state }) => state === 'success');
    // The step that ended the plan was sent again under another id; the one before it was not.
    expect(provider.asked.map(({ path }) => path)).toEqual(['/put', '/send', '/send']);
    expect(new Set(provider.asked.map(({ key }) => key)).size).toBe(3);
  });

  it('lets a new plan pass while 1,000 others wait for a slow provider', async () => {
    const held: ServerResponse[] = [];
    await using provider = await startHttpProvider((_asked, response) => void held.push(response));
    await using plans = await startPlanRig({
      tools: { 'test.http': httpTool('test.http', provider.url, { send: 'once' }, { timeout_ms: 60_000 }) },
      config: { worker: DEFAULT_LOCKS },
    });
    await plans.rig.startWorker();
    for (let at = 0; at < 1000; at += 100) {
      const some = await Promise.all(Array.from({ length: 100 }, (_, n) => plans.link(envelopeOf([call('send', at + n)]))));
      await Promise.all(some.map(plans.push));
    }
    // As many calls as the provider may have at a time are on their way, and every plan waits for its own.
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(256);
    const redis = await plans.rig.redis.client();
    await expect.poll(() => redis.zcard('{writ}:plan:delayed'), { timeout: 20_000 }).toBe(1000);

    const from = join(plans.rig.base, 'a');
    writeFileSync(from, 'a');
    const plan = await plans.link(envelopeOf([fileStep('FILE_COPY', from, join(plans.rig.base, 'b'))]));
    await plans.push(plan);
    const { view } = await plans.ended(plan.id);
    expect([view.state, existsSync(join(plans.rig.base, 'b'))]).toEqual(['success', true]);
    // How long it took: `npm run bench -- plan`. The others wait still.
    expect([held.length, provider.asked.length]).toEqual([256, 256]);
  });
});
