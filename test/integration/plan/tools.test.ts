import { describe, expect, it } from 'vitest';
import { answerOk, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { patient } from '../../support/patience.ts';
import { passTheCrowd } from '../../support/plan-crowd.ts';
import { envelopeOf, startPlanRig } from '../../support/plan-rig.ts';

const call = (operation: string, n: number, changes: object = {}) => ({ type: 'tool', ref: 'test.http', operation, params: { n }, ...changes });

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
    await expect.poll(() => plans.plans.retry(plan.id)).toBe('retried');
    await plans.ended(plan.id, ({ state }) => state === 'success');
    // The step that ended the plan was sent again under another id; the one before it was not.
    expect(provider.asked.map(({ path }) => path)).toEqual(['/put', '/send', '/send']);
    expect(new Set(provider.asked.map(({ key }) => key)).size).toBe(3);
  });

  it('tries again what is declared, under one Idempotency-Key where a repetition does no harm, and never what may have happened', async () => {
    await using provider = await startHttpProvider((asked, response) => {
      if (asked.path === '/send') return void response.writeHead(504).end();
      const before = provider.asked.filter(({ path }) => path === '/put').length;
      return before < 3 ? void response.writeHead(503, { 'retry-after': '0' }).end() : answerOk(asked, response);
    });
    await using plans = await startPlanRig({ tools: { 'test.http': httpTool('test.http', provider.url, { send: 'once', put: 'idempotent' }) } });
    await plans.rig.startWorker();
    const retry = { max: 3, backoff_ms: 1 };
    const { id, envelope } = await plans.run(envelopeOf([call('put', 1, { retry }), call('send', 2, { retry })]));
    expect(envelope.error?.code).toBe('TOOL_OUTCOME_UNKNOWN');
    expect(provider.asked.map(({ path }) => path)).toEqual(['/put', '/put', '/put', '/send']);
    expect(new Set(provider.asked.map(({ key }) => key)).size).toBe(2);
    const history = await plans.plans.history(id, { limit: 10 });
    expect(history?.steps.map(({ path, attempt, state }) => [path, attempt, state])).toEqual([
      ['0', undefined, 'failure'],
      ['0~2', 2, 'failure'],
      ['0~3', 3, 'success'],
      ['1', undefined, 'failure'],
    ]);
  });

  it('lets a new plan pass while more wait for a slow provider than it may be asked at a time', async () => {
    // With 1,000 and the 256 calls of the default, and how long it takes: `npm run test:long -- plan-runs`.
    const passed = await passTheCrowd({ plans: 100, calls: 48, timeoutMs: patient(40_000) });
    expect(passed).toMatchObject({ held: 48, asked: 48, state: 'success', isCopied: true });
  });
});
