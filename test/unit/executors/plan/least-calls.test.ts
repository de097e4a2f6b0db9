import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { describePlan, linkPlan, startPlan } from '../../../../src/executors/plan/index.ts';
import { leastCalls } from '../../../../src/executors/plan/least-calls.ts';
import { linkSteps } from '../../../../src/executors/plan/link.ts';
import { readEnvelope } from '../../../../src/executors/plan/read-envelope.ts';
import { readRegistry } from '../../../../src/executors/plan/registry.ts';
import { cap, capability, execution, say } from '../../../support/plan-core.ts';

const many = (count: number, step: JsonObject = say()): JsonObject[] => Array.from({ length: count }, () => step);
const CONTINUE = { on_error: { mode: 'continue' } };
const nobody = (): undefined => undefined;

function leastOf(steps: JsonObject[], more: Parameters<typeof execution>[1] = {}): number {
  const read = readEnvelope(execution(steps, more));
  const plan = read.ok ? linkSteps(read.envelope, readRegistry(read.envelope.payload)) : undefined;
  return plan !== undefined && 'steps' in plan ? leastCalls(plan) : Number.NaN;
}

describe('a plan that calls more tools than it may', () => {
  it('is refused when it is linked, with the limit, the option and how many it has', () => {
    expect(linkPlan(execution(many(30)), nobody)).toMatchObject({ ok: true });
    expect(linkPlan(execution(many(31)), nobody)).toEqual({
      ok: false,
      code: 'MAX_STEPS_EXCEEDED',
      message: 'the plan calls tools more often than its option maxSteps allows (30)',
      details: { limit: 30, steps: 31, at: 'payload.options.maxSteps' },
    });
    expect(linkPlan(execution(many(31), { options: { maxSteps: 31 } }), nobody)).toMatchObject({ ok: true });
    expect(linkPlan(execution(many(3), { options: { maxSteps: 2 } }), nobody)).toMatchObject({ ok: false, details: { limit: 2, steps: 3 } });
  });

  it('goes on as before where it was linked already: what has begun is not another plan for it', () => {
    expect(startPlan(execution(many(31))).current).toMatchObject({ kind: 'call', path: '0' });
    expect(describePlan(execution(many(31)))).toMatchObject({ ok: true });
  });
});

describe('the calls that a plan makes at least', () => {
  it('are those of its tools, and of the groups as often as they are named', () => {
    const capabilities = [capability('pair', [say(), say()]), capability('pairs', [cap('pair'), cap('pair')])];
    expect(leastOf([cap('pairs'), say(), cap('pair')], { catalog: { capabilities } })).toBe(7);
  });

  it('are none of steps that may be left out', () => {
    const capabilities = [capability('pair', [say(), say()])];
    const catalog = { capabilities };
    expect(leastOf([say({}, { when: 'true' }), say({}, { for_each: { list: 'memory.state.list' } })])).toBe(0);
    expect(leastOf([cap('pair', {}, { when: 'true' }), cap('pair', {}, { for_each: { list: 'memory.state.list' } })], { catalog })).toBe(0);
    expect(leastOf([say({}, { on_error: { mode: 'fallback', fallback: cap('pair') } })], { catalog })).toBe(1);
  });

  it('are none of steps whose error is passed by before the call, and one where nothing is in its way', () => {
    expect(leastOf([say({}, CONTINUE)])).toBe(1);
    expect(leastOf([say({ wrong: 1 }, CONTINUE), { ...say({}, CONTINUE), operation: 'gone' }])).toBe(0);
    expect(leastOf([say({ x: '{{input.gone}}' }, CONTINUE), say({ x: 'a' }, CONTINUE)], { options: { interpolate: 'all' } })).toBe(1);
    expect(leastOf([say({}, { on_error: { mode: 'stop', by_code: { X: { mode: 'continue' } } } }), say({}, { on_error: { mode: 'stop' } })])).toBe(2);
    expect(leastOf([cap('pair', {}, CONTINUE)], { catalog: { capabilities: [capability('pair', [say(), say()])] } })).toBe(0);
  });

  it('are counted in time where groups of groups multiply them', () => {
    const capabilities = Array.from({ length: 31 }, (_, n) => capability(`c${n}`, n === 30 ? [say()] : Array.from({ length: 8 }, () => cap(`c${n + 1}`))));
    expect(leastOf([cap('c0')], { catalog: { capabilities }, options: { maxDepth: 32 } })).toBe(8 ** 30);
    const refused = linkPlan(execution([cap('c0')], { catalog: { capabilities }, options: { maxDepth: 32 } }), nobody);
    expect(refused).toMatchObject({ ok: false, details: { steps: 100_000 } });
  });
});
