import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { cap, capability, execution, ok, play, say } from '../../../support/plan-core.ts';

const DATA: JsonObject = { id: 7, items: [{ name: 'first' }, { name: 'second' }], 'odd key': 'odd', nothing: null, text: 'abc', 'a-b': 1, é: 2 };

function saved(
  to: Readonly<Record<string, string>>,
  state: JsonObject = {},
): { readonly state: JsonObject; readonly code: string | undefined; readonly details: Json } {
  const { state: after, code, error } = play(execution([say({}, { save: { to } })], { state }), () => ({ ...ok(DATA), meta: { m: 1 } }));
  return { state: after, code, details: (error?.['details'] as JsonObject | undefined) ?? null };
}

describe('save', () => {
  it.each([
    ['$.data.id', 7],
    ['$["data"]["odd key"]', 'odd'],
    ['$.data.items[1].name', 'second'],
    ['$.data.items', DATA['items']],
    ['$.data["items"][0]', { name: 'first' }],
    ['$.data.nothing', null],
    ['$.data.a-b', 1],
    ['$.data.é', 2],
    ['$["data"]["\\u0069d"]', 7],
    ['$.ok', true],
    ['$.error', null],
    ['$.meta.m', 1],
    ['$.data', DATA],
    ['$', { ok: true, data: DATA, error: null, meta: { m: 1 } }],
    ['lit:hello', 'hello'],
    ['lit:', ''],
    ['lit:$.data.id', '$.data.id'],
    ['lit:{{input.x}}', '{{input.x}}'],
  ] as const)('reads %s from the result', { tags: ['PE-14', 'PE-36'] }, (source, value) => {
    expect(saved({ x: source })).toEqual({ state: { x: value }, code: undefined, details: null });
  });

  it.each([
    '$.data.gone',
    '$.data.items[2]',
    '$.data.items.name',
    '$.data.text[0]',
    '$.data[0]',
    '$.data.items["0"]',
    '$.data.text.length',
    '$.data.nothing.x',
    '$.data.toString',
  ])('says SAVE_PATH_NOT_FOUND for %s and writes nothing', (source) => {
    expect(saved({ a: '$.data.id', x: source }, { before: 1 })).toEqual({
      state: { before: 1 },
      code: 'SAVE_PATH_NOT_FOUND',
      details: { to: 'x', step: { stepId: '0-echo', path: '0', ref: 'echo' } },
    });
  });

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['x', {}, { x: 7 }],
    ['memory.state.x', {}, { x: 7 }],
    ['memory.state.memory.state.x', {}, { memory: { state: { x: 7 } } }],
    ['x.memory.state.y', {}, { x: { memory: { state: { y: 7 } } } }],
    ['a.b.c', {}, { a: { b: { c: 7 } } }],
    ['a.b', { a: { b: 1, c: 2 } }, { a: { b: 7, c: 2 } }],
    ['a', { a: { b: 1 } }, { a: 7 }],
    ['list.1', { list: [1, 2, 3] }, { list: [1, 7, 3] }],
    ['list.0.x', { list: [{ y: 1 }] }, { list: [{ y: 1, x: 7 }] }],
    ['0', {}, { '0': 7 }],
    ['toString', {}, { toString: 7 }],
    ['_locals2', {}, { _locals2: 7 }],
    ['a._locals', {}, { a: { _locals: 7 } }],
  ])('writes to %s of %j', (to, before, after) => {
    expect(saved({ [to]: '$.data.id' }, before)).toMatchObject({ state: after, code: undefined });
  });

  it.each<readonly [string, JsonObject]>([
    ['a.b', { a: 1 }],
    ['a.b', { a: 'text' }],
    ['a.b', { a: null }],
    ['a.b.c', { a: { b: false } }],
    ['list.3', { list: [1, 2, 3] }],
    ['list.x', { list: [1] }],
    ['list.01', { list: [1, 2] }],
    ['list.-1', { list: [1, 2] }],
    ['list.length', { list: [1] }],
  ])('says SAVE_CONFLICT for %s of %j and writes nothing', (to, before) => {
    expect(saved({ [to]: '$.data.id', z: '$.data.id' }, before)).toEqual({
      state: before,
      code: 'SAVE_CONFLICT',
      details: { to, step: { stepId: '0-echo', path: '0', ref: 'echo' } },
    });
  });

  it.each([
    ['x', '$..id'],
    ['x', '$.'],
    ['x', '$.data.'],
    ['x', '$data'],
    ['x', '$.data id'],
    ['x', '$[01]'],
    ['x', '$[-1]'],
    ['x', '$[1.5]'],
    ['x', '$[*]'],
    ['x', '$.*'],
    ['x', '$[?(@.x)]'],
    ['x', "$['data']"],
    ['x', '$["data'],
    ['x', '$["\\x"]'],
    ['x', '$.1a'],
    ['x', '$.data.__proto__'],
    ['x', '$["constructor"]'],
    ['x', 'data.id'],
    ['x', 'literal:x'],
    ['_locals', '$.data.id'],
    ['_locals.item', '$.data.id'],
    ['memory.state._locals', '$.data.id'],
    ['a..b', '$.data.id'],
    ['.a', '$.data.id'],
    ['a.', '$.data.id'],
    ['memory.state.', '$.data.id'],
    ['a.__proto__.b', '$.data.id'],
    ['a.prototype', '$.data.id'],
    [Array.from({ length: 17 }, () => 'a').join('.'), '$.data.id'],
  ])('refuses %s from %s before anything runs', (to, source) => {
    const { code, calls, error } = play(execution([say({}, { save: { to: { [to]: source } } })]));
    expect([code, calls.length]).toEqual(['INVALID_CONTRACT', 0]);
    expect(error).toMatchObject({ details: { errors: [{ path: `payload.steps.0.save.to.${to}`, keyword: 'syntax' }] } });
  });

  it('may have sixteen levels, and a name once', () => {
    expect(saved({ [Array.from({ length: 16 }, () => 'a').join('.')]: '$.data.id' }).code).toBeUndefined();
    expect(saved({ x: '$.data.id', 'memory.state.x': '$.data.text' }).code).toBe('INVALID_CONTRACT');
    expect(saved({ x: '$.data.id', y: '$.data.id', 'memory.state.x': '$.data.text' }).code).toBe('INVALID_CONTRACT');
  });

  it('writes by the names of its destinations, whatever order they were written in', () => {
    const first = saved({ 'a.b': '$.data.id', a: '$.data' });
    expect(first.state).toEqual({ a: { ...DATA, b: 7 } });
    expect(saved({ a: '$.data', 'a.b': '$.data.id' })).toEqual(first);
    expect(saved({ a: '$.data.id', 'a.b': '$.data.id' })).toMatchObject({ code: 'SAVE_CONFLICT', state: {} });
    expect(saved({ b: '$.data.gone', a: '$.data.missing' })).toMatchObject({ code: 'SAVE_PATH_NOT_FOUND', details: { to: 'a' } });
  });

  it('is seen by the next step, and the snapshot of an earlier call does not change', { tags: ['PE-12', 'PE-47'] }, () => {
    const step = (name: string): JsonObject => say({}, { save: { to: { [name]: '$.data.n' } } });
    const { calls, state } = play(execution([step('a'), step('b'), step('c')]), (_call, index) => ok({ n: index }));
    expect(calls.map(({ toolInput }) => toolInput.context.memory['state'])).toEqual([{}, { a: 0 }, { a: 0, b: 1 }]);
    expect(state).toEqual({ a: 0, b: 1, c: 2 });
  });

  it('does not happen after a failure, and its own failure is one of the step', () => {
    const save = { save: { to: { x: '$.data.id' } } };
    const failing = { ok: false, data: null, error: { code: 'X', message: 'y' } };
    expect(play(execution([say({}, { ...save, on_error: { mode: 'continue' } })]), () => failing).state).toEqual({});
    const missing = play(execution([say({}, { ...save, on_error: { mode: 'continue' } }), say()], { options: { debug: true } }));
    expect(missing).toMatchObject({ code: undefined, results: [{ ok: true }, { ok: true }] });
    expect(missing.done.envelope).toMatchObject({
      output: {
        trace: [
          { path: '0', ok: true },
          { path: '0', ok: false, stepId: '0-echo' },
          { path: '1', ok: true },
        ],
      },
    });
    const stopped = play(execution([say(), say({}, save)]));
    expect([stopped.code, stopped.done.endedBy]).toEqual(['SAVE_PATH_NOT_FOUND', undefined]);
    expect(stopped.error).toMatchObject({ details: { step: { stepId: '1-echo', path: '1' } } });
  });

  it('of a group is taken from the last result in it, or from none', () => {
    const body = [say({ x: 1 }), say({ x: 2 }), say({ x: 3 }, { when: 'false' })];
    const catalog = {
      capabilities: [
        capability('c', body),
        capability('none', [say({}, { when: 'false' })]),
        capability('lost', [say({}, { on_error: { mode: 'continue' } })]),
      ],
    };
    const to = { last: '$.data.n' };
    expect(play(execution([cap('c', {}, { save: { to } })], { catalog }), (_call, index) => ok({ n: index })).state).toEqual({ last: 1 });
    expect(play(execution([say(), cap('none', {}, { save: { to } })], { catalog }), () => ok({ n: 1 })).code).toBe('SAVE_PATH_NOT_FOUND');
    expect(play(execution([cap('none', {}, { save: { to: { x: 'lit:a' } } })], { catalog })).state).toEqual({ x: 'a' });
    const failing = { ok: false, data: null, error: { code: 'X', message: 'y' } };
    expect(play(execution([cap('lost', {}, { save: { to } })], { catalog }), () => failing)).toMatchObject({ code: undefined, state: {} });
  });

  it('of an outer group sees the last result also when its own last steps ran nothing', () => {
    const catalog = {
      capabilities: [
        capability('inner', [say({}, { when: 'false' })]),
        capability('outer', [say({ x: 1 }), cap('inner'), cap('inner', {}, { when: 'false' })]),
      ],
    };
    expect(play(execution([cap('outer', {}, { save: { to: { n: '$.data.n' } } })], { catalog }), () => ok({ n: 5 })).state).toEqual({ n: 5 });
  });
});
