import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { startPlan } from '../../../../src/executors/plan/index.ts';
import { growsInProportion } from '../../../support/growth.ts';
import { cap, capability, ECHO, execution, files, HEADER, ok, play, say, usecase } from '../../../support/plan-core.ts';

describe('a plan that wants to cost much', () => {
  it('ends after a hundred thousand visits, though nothing is called', () => {
    const width = 50;
    const levels = ['a', 'b', 'c', 'd'];
    const capabilities = levels.map((id, index) => {
      const next = levels[index + 1];
      return capability(
        id,
        Array.from({ length: width }, () => (next === undefined ? say({}, { when: 'false' }) : cap(next))),
      );
    });
    expect(play(execution([cap('a')], { catalog: { capabilities } }))).toMatchObject({
      code: 'MAX_STEPS_EXCEEDED',
      calls: [],
      error: { details: { limit: 100_000 } },
    });
  });

  it('ends when its conditions compare too much', () => {
    const big = (): JsonObject => ({ text: 'x'.repeat(1_000_000), other: [1, 2, 3] });
    const when = Array.from({ length: 20 }, () => 'memory.state.a == memory.state.b').join(' && ');
    const steps = [cap('loop', {}, { for_each: { list: 'memory.state.turns' } })];
    const catalog = { capabilities: [capability('loop', [say({}, { when: `!(${when})` })])] };
    const state = { a: big(), b: big(), turns: Array.from({ length: 1000 }, (_, k) => k) };
    expect(play(execution(steps, { catalog, state, options: { maxSteps: 1000 } })).code).toBe('MAX_WORK_EXCEEDED');
  });

  it('ends when its templates bring too much', () => {
    const text = 'x'.repeat(1_000_000);
    const compare = Array.from({ length: 20 }, () => 'memory.state.a == memory.state.b').join(' && ');
    const capabilities = [
      capability('compares', [say({}, { when: `!(${compare})` })]),
      capability('binds', [cap('inner', { x: '{{memory.state.a.text}}' })]),
      capability('inner', [say()]),
    ];
    const turns = (ref: string, count: number): JsonObject => cap(ref, {}, { for_each: { list: `memory.state.${ref}_${count}` } });
    const numbers = (count: number): number[] => Array.from({ length: count }, (_, turn) => turn);
    const state = { a: { text }, b: { text }, compares_13: numbers(13), compares_14: numbers(14), binds_20: numbers(20) };
    const run = (...steps: JsonObject[]) => play(execution(steps, { catalog: { capabilities }, state }));
    expect(run(turns('compares', 14)).code).toBe('MAX_WORK_EXCEEDED');
    expect(run(turns('compares', 13)).code).toBeUndefined();
    const { code, calls } = run(turns('compares', 13), turns('binds', 20));
    expect([code, calls.length]).toEqual(['MAX_WORK_EXCEEDED', 8]);
  });

  it('ends when a template doubles its value at every level', () => {
    const levels = Array.from({ length: 30 }, (_, index) => index);
    const last = levels.length;
    const doubled = { x: '{{input.x}}{{input.x}}' };
    const shared = { x: ['{{input.x}}', '{{input.x}}'] };
    for (const params of [doubled, shared]) {
      const capabilities = levels.map((index) => capability(`c${index}`, [index + 1 === last ? say({ x: '{{input.x}}' }) : cap(`c${index + 1}`, params)]));
      expect(play(execution([cap('c0', { x: 'seed' })], { catalog: { capabilities }, options: { maxDepth: 32 } }))).toMatchObject({
        code: 'MAX_SIZE_EXCEEDED',
        calls: [],
      });
    }
  });

  it('ends when its results grow beyond their limit', () => {
    const text = 'x'.repeat(1_000_000);
    const steps = Array.from({ length: 12 }, () => say());
    const { code, error, calls } = play(execution(steps), () => ok({ text }));
    expect(code).toBe('MAX_SIZE_EXCEEDED');
    expect(error).toMatchObject({ details: { what: 'results', limit: 8 * 1024 * 1024, step: { path: '8' } } });
    expect(calls).toHaveLength(9);
  });

  it('with ten thousand steps is judged at a cost in proportion to their number, with a hundred thousand refused', () => {
    const played = (count: number) => play(execution(Array.from({ length: count }, () => say({}, { when: 'false' }))));
    expect(played(10_000)).toMatchObject({ code: undefined, calls: [] });
    expect(growsInProportion((count) => void played(count), 10_000)).toBe(true);
    expect(play(execution(Array.from({ length: 100_000 }, () => say({})))).code).toBe('INVALID_CONTRACT');
  });

  it('with a huge registry only pays for what it reaches', () => {
    const tools = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`t${index}`, { id: 'wrong' }]));
    const payload = { steps: [say()], registryFiles: [...files({ tools: [ECHO] }), { category: 'tools', ref: 'tools', content: tools }] };
    expect(play({ header: HEADER, payload }).code).toBeUndefined();
  });

  it('with a thousand definitions inside each other is refused without a stack overflow', () => {
    const usecases = Array.from({ length: 2000 }, (_, index) => usecase(`u${index}`, [{ type: 'usecase', ref: `u${index + 1}`, params: {} }]));
    expect(play(execution([{ type: 'usecase', ref: 'u0', params: {} }], { catalog: { usecases } }))).toMatchObject({
      code: 'MAX_DEPTH_EXCEEDED',
      calls: [],
      error: { details: { limit: 256 } },
    });
  });

  it('with a path that no task could carry ends before the call', () => {
    const ref = (index: number): string => `${'n'.repeat(120)}${index}`;
    const capabilities = Array.from({ length: 12 }, (_, index) => capability(ref(index), [index === 11 ? say() : cap(ref(index + 1))]));
    const { code, error, calls } = play(execution([cap(ref(0))], { catalog: { capabilities }, options: { maxDepth: 32 } }));
    expect([code, calls.length]).toEqual(['MAX_SIZE_EXCEEDED', 0]);
    expect(error).toMatchObject({ details: { what: 'path', limit: 1024 } });
  });

  it('a thousand steps that save cost in proportion to their number, though nobody may see memory change', () => {
    const steps = Array.from({ length: 1000 }, (_, index) => say({ x: index }, { save: { to: { [`k${index}`]: '$.data.id' } } }));
    const playedOf = (count: number) => {
      // `play` looks at the memory of every call.
      const run = startPlan(execution(steps.slice(0, count), { options: { maxSteps: 1000 } }));
      while (run.current.kind === 'call') run.feed(ok({ id: 'x' }));
      return run.current;
    };
    const state = { k0: 'x', k999: 'x' };
    expect(playedOf(1000)).toMatchObject({ error: null, envelope: { output: { memory: { state } } } });
    expect(growsInProportion((count) => void playedOf(count), 1000)).toBe(true);
  });
});
