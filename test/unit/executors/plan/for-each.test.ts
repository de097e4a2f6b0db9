import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanCall } from '../../../../src/core/ports/plan.ts';
import { startPlan } from '../../../../src/executors/plan/index.ts';
import { bad, cap, capability, execution, ok, paramsOf, pathsOf, play, say } from '../../../support/plan-core.ts';

const ALL = { interpolate: 'all' };
const each = (list: string, as?: string): JsonObject => ({ for_each: { list, ...(as !== undefined && { as }) } });
const localsOf = (calls: readonly PlanCall[]): unknown[] => calls.map(({ toolInput }) => (toolInput.context.memory['state'] as JsonObject)['_locals']);

describe('for_each', () => {
  it('takes one turn per item, in order, each with its own path and entry', () => {
    const played = play(
      execution([say({ x: '{{memory.state._locals.item}}' }, each('memory.state.list')), say()], { state: { list: ['a', null, { b: 1 }] }, options: ALL }),
    );
    expect(pathsOf(played)).toEqual(['0#0', '0#1', '0#2', '1']);
    expect(paramsOf(played).slice(0, 3)).toEqual([{ x: 'a' }, { x: null }, { x: { b: 1 } }]);
    expect(played.results.map(({ stepId }) => stepId)).toEqual(['0-echo', '1-echo', '2-echo', '3-echo']);
    expect(localsOf(played.calls)).toEqual([{ item: 'a' }, { item: null }, { item: { b: 1 } }, undefined]);
    expect(played.state).toEqual({ list: ['a', null, { b: 1 }] });
  });

  it('reads its list from memory, input or context, and calls the item as it says', () => {
    const options = { context: { deep: { list: [1] } }, input: { list: [2] } };
    const steps = [say({}, each('context.deep.list', 'one')), say({}, each('input.list', 'two'))];
    expect(localsOf(play(execution(steps, { options })).calls)).toEqual([{ one: 1 }, { two: 2 }]);
  });

  it('an empty list is no turn', () => {
    expect(play(execution([say({}, each('memory.state.list'))], { state: { list: [] } }))).toMatchObject({ calls: [], results: [], code: undefined });
  });

  it('goes over the list as it was when the step was reached', () => {
    const step = say({}, { ...each('memory.state.list'), save: { to: { list: '$.data.list', 'seen.last': '$.data.n' } } });
    const played = play(execution([step], { state: { list: [1, 2] } }), (_call, index) => ok({ list: [9, 9, 9, 9], n: index }));
    expect(localsOf(played.calls)).toEqual([{ item: 1 }, { item: 2 }]);
    expect(played.state).toEqual({ list: [9, 9, 9, 9], seen: { last: 1 } });
  });

  it('repeats a group; loops inside of it nest, also under the same name', () => {
    const inner = capability('inner', [
      say({ x: '{{memory.state._locals.item}}', y: '{{memory.state._locals.outer}}' }, each('input.list')),
      say({ x: '{{memory.state._locals.outer}}' }),
    ]);
    const same = capability('same', [say({ x: '{{memory.state._locals.item}}' }, each('input.list')), say({ x: '{{memory.state._locals.item}}' })]);
    const state = { list: ['A', 'B'] };
    const nested = play(execution([cap('inner', { list: [1, 2] }, each('memory.state.list', 'outer'))], { state, catalog: { capabilities: [inner] } }));
    expect(pathsOf(nested).slice(0, 3)).toEqual(['0#0/cap.inner/0#0', '0#0/cap.inner/0#1', '0#0/cap.inner/1']);
    expect(paramsOf(nested)).toEqual([{ x: 1, y: 'A' }, { x: 2, y: 'A' }, { x: 'A' }, { x: 1, y: 'B' }, { x: 2, y: 'B' }, { x: 'B' }]);
    const shadowed = play(execution([cap('same', { list: [1] }, each('memory.state.list'))], { state, catalog: { capabilities: [same] } }));
    expect(paramsOf(shadowed)).toEqual([{ x: 1 }, { x: 'A' }, { x: 1 }, { x: 'B' }]);
    expect([nested.state, shadowed.state]).toEqual([state, state]);
  });

  it('the condition of the step is asked once, before the list is read', () => {
    const guarded = say({}, { ...each('memory.state.list'), when: 'has(memory.state.list)' });
    expect(play(execution([guarded, say()])).code).toBeUndefined();
    const once = say({}, { ...each('memory.state.list'), when: 'memory.state.n == 0', save: { to: { n: '$.data.n' } } });
    expect(play(execution([once], { state: { list: [1, 2], n: 0 } }), () => ok({ n: 1 })).calls).toHaveLength(2);
  });

  it.each([
    ['a value that is missing', 'memory.state.gone'],
    ['an object', 'memory.state.object'],
    ['text', 'memory.state.text'],
    ['null', 'memory.state.nothing'],
  ])('%s is not a list: an error of the step, handled by its policy', (_what, list) => {
    const state = { object: { '0': 1 }, text: 'abc', nothing: null };
    const { code, results, calls } = play(execution([say({}, each(list))], { state }));
    expect([code, calls.length]).toEqual(['FOR_EACH_NOT_A_LIST', 0]);
    expect(results).toMatchObject([{ stepId: '0-echo', ok: false, error: { code: 'FOR_EACH_NOT_A_LIST', message: 'the list of for_each is not a list' } }]);
    expect(play(execution([say({}, { ...each(list), on_error: { mode: 'continue' } }), say()], { state })).calls).toHaveLength(1);
    const caught = say({}, { ...each(list), on_error: { mode: 'fallback', fallback: say({ x: 'f' }) } });
    expect(pathsOf(play(execution([caught], { state })))).toEqual(['0!fb']);
  });

  it('applies on_error to every turn on its own', () => {
    const second = (_call: PlanCall, index: number): JsonObject => (index === 1 ? bad() : ok());
    const list = { list: [1, 2, 3] };
    const goesOn = play(execution([say({}, { ...each('memory.state.list'), on_error: { mode: 'continue' } })], { state: list }), second);
    expect(goesOn).toMatchObject({ code: undefined, results: [{ ok: true }, { ok: false }, { ok: true }] });
    const replaced = play(
      execution([say({}, { ...each('memory.state.list'), on_error: { mode: 'fallback', fallback: say({ x: '{{memory.state._locals.item}}' }) } })], {
        state: list,
        options: ALL,
      }),
      second,
    );
    expect(pathsOf(replaced)).toEqual(['0#0', '0#1', '0#1!fb', '0#2']);
    expect(paramsOf(replaced)[2]).toEqual({ x: 2 });
  });

  it('an error takes the item out of memory', () => {
    const stopped = play(execution([say({}, each('memory.state.list'))], { state: { list: [1, 2] } }), () => bad());
    expect(stopped).toMatchObject({ code: 'TOOL_FAILED', done: { endedBy: '0#0' }, state: { list: [1, 2] } });
    expect(stopped.state).not.toHaveProperty('_locals');
    const catalog = { capabilities: [capability('c', [say({}, each('memory.state.list'))])] };
    const passed = play(execution([cap('c', {}, { on_error: { mode: 'continue' } }), say()], { state: { list: [1] }, catalog }), (_call, index) =>
      index === 0 ? bad() : ok(),
    );
    expect(localsOf(passed.calls)).toEqual([{ item: 1 }, undefined]);
  });

  it('a plan that the driver ends in the middle of a loop keeps its results and leaves no item in memory', () => {
    const run = startPlan(execution([say({}, each('memory.state.list')), say()], { state: { list: [1, 2] } }));
    run.feed(ok());
    const done = run.end({ code: 'CANCELLED', message: 'the plan was cancelled' });
    expect(done).toMatchObject({ kind: 'done', error: { code: 'CANCELLED', message: 'the plan was cancelled' }, endedBy: undefined });
    expect(done.envelope).toMatchObject({
      output: { results: [{ ok: true }], memory: { state: { list: [1, 2] } } },
      error: { code: 'CANCELLED', details: {} },
    });
    expect(JSON.stringify(done)).not.toContain('_locals');
    expect([run.current, run.feed(ok()), run.end({ code: 'OTHER', message: 'x' })]).toEqual([done, done, done]);
  });

  it('counts its turns as steps', () => {
    expect(play(execution([say({}, each('memory.state.list'))], { state: { list: Array.from({ length: 31 }, () => 0) } }))).toMatchObject({
      code: 'MAX_STEPS_EXCEEDED',
      error: { details: { limit: 30, step: { path: '0#30' } } },
    });
  });

  it.each(['list', 'memory', 'memory.list', 'memory.session_id', 'input', 'other.list', 'memory.state..x', ''])(
    'refuses the list %j before anything runs',
    (list) => {
      expect(play(execution([say({}, each(list))]))).toMatchObject({ code: 'INVALID_CONTRACT', calls: [] });
    },
  );

  it.each(['constructor', 'prototype', '__proto__', '1a', 'a.b', '', 'a'.repeat(65)])('refuses an item called %j', (as) => {
    expect(play(execution([say({}, each('memory.state.list', as))], { state: { list: [1] } }))).toMatchObject({ code: 'INVALID_CONTRACT', calls: [] });
  });

  it('may go over memory.state only when that is a list, which it is not', () => {
    expect(play(execution([say({}, each('memory.state'))])).code).toBe('FOR_EACH_NOT_A_LIST');
  });
});
