import { describe, expect, it } from 'vitest';
import { type HttpProvider, httpTool, startHttpProvider } from '../../support/http-provider.ts';
import { envelopeOf, type PlanRig, startPlanRig } from '../../support/plan-rig.ts';

const ACTIONS = { send: 'once', get: 'none' } as const;

/** A provider whose answer is a JSON text of so many bytes, and a binding with this bound. */
async function rig(bytes: number, responseMaxBytes?: number): Promise<{ readonly provider: HttpProvider; readonly plans: PlanRig }> {
  const provider = await startHttpProvider((_asked, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) }));
  });
  const tool = httpTool('test.http', provider.url, ACTIONS);
  const http = { ...(tool.binding as { http: object }).http, ...(responseMaxBytes === undefined ? {} : { response_max_bytes: responseMaxBytes }) };
  const plans = await startPlanRig({ tools: { 'test.http': { ...tool, binding: { ...tool.binding, http } } } });
  await plans.rig.startWorker();
  return { provider, plans };
}
const call = (operation: keyof typeof ACTIONS, changes: object = {}) => ({ type: 'tool', ref: 'test.http', operation, params: { n: 1 }, ...changes });

describe('a tool whose answer is large', () => {
  it.each([
    ['just under a MiB, over the bound that no binding names', 1_048_500, undefined],
    ['within the bound of its binding, and without room in a result', 2_000_000, 8 * 1024 * 1024],
  ])('ends its step with a code, and the plan goes on: %s', async (_what, bytes, bound) => {
    const { provider, plans } = await rig(bytes, bound);
    await using _provider = provider;
    await using _plans = plans;
    const passed = { on_error: { mode: 'continue' } };
    const { envelope } = await plans.run(envelopeOf([call('send', passed), call('get', passed)]));
    expect(envelope.error).toBeNull();
    expect(envelope.output.results.map(({ error }) => error?.code)).toEqual(['TOOL_OUTCOME_UNKNOWN', 'TOOL_FAILED']);
    expect(envelope.output.results[0]?.error?.message).toMatch(/^the tool answered (?:200 with more than 1000000|with 2000[0-9]{3}) bytes/);
    expect(provider.asked.map(({ path }) => path)).toEqual(['/send', '/get']);
  });

  it('and fits is kept, saved and signed', async () => {
    const { provider, plans } = await rig(999_000);
    await using _provider = provider;
    await using _plans = plans;
    const save = (name: string) => ({ save: { to: { [name]: '$.data.text' } } });
    const { envelope } = await plans.run(envelopeOf([call('send', save('a')), call('get', save('b'))]));
    expect(envelope.error).toBeNull();
    expect(Object.values(envelope.output.memory.state).map((text) => String(text).length)).toEqual([998_989, 998_989]);
    expect(provider.asked).toHaveLength(2);
  });
});
