import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanDone } from '../../../../src/core/ports/plan.ts';
import { linkPlan, startPlan } from '../../../../src/executors/plan/index.ts';
import { ECHO, execution, files, HEADER, ok, play, say } from '../../../support/plan-core.ts';

function refusal(envelope: unknown): unknown {
  const { done } = play(envelope);
  expect(done.error?.code).toBe('INVALID_CONTRACT');
  return ((done.envelope['error'] as JsonObject)['details'] as JsonObject)['errors'];
}

/** An envelope of this text, with one value put where `"HERE"` stands. */
const withValue = (value: unknown): unknown => ({ header: HEADER, payload: { steps: [{ type: 'tool', ref: 'echo', params: { x: value } }] } });
const AT = 'payload.steps.0.params.x';

describe('input that is no JSON', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['a'] = cyclic;
  cyclic['b'] = cyclic;
  const problem = (path: string, keyword: string, message: string): unknown => [{ path, keyword, message }];

  it.each([
    ['half of a surrogate pair', 'a\ud800b', problem(AT, 'surrogate', 'contains half of a surrogate pair')],
    ['NaN', Number.NaN, problem(AT, 'not_finite', 'is not a finite number')],
    ['infinity', Number.POSITIVE_INFINITY, problem(AT, 'not_finite', 'is not a finite number')],
    ['an integer that readers round', 2 ** 53, problem(AT, 'unsafe_integer', 'is an integer beyond 2^53 - 1')],
    ['a negative one', -(2 ** 53), problem(AT, 'unsafe_integer', 'is an integer beyond 2^53 - 1')],
    ['a large number', 1e300, problem(AT, 'unsafe_integer', 'is an integer beyond 2^53 - 1')],
    ['undefined', undefined, problem(AT, 'not_json', 'is nothing that JSON has')],
    ['a function', () => 1, problem(AT, 'not_json', 'is nothing that JSON has')],
    ['a bigint', 1n, problem(AT, 'not_json', 'is nothing that JSON has')],
    ['a symbol', Symbol('x'), problem(AT, 'not_json', 'is nothing that JSON has')],
    ['a date', new Date(0), problem(AT, 'not_json', 'is nothing that JSON has')],
    ['a map', new Map(), problem(AT, 'not_json', 'is nothing that JSON has')],
    ['an array with a hole', new Array(1), problem(`${AT}.0`, 'not_json', 'is nothing that JSON has')],
    ['a key __proto__', JSON.parse('{"__proto__": {"admin": true}}'), problem(`${AT}.__proto__`, 'forbidden_key', 'is a forbidden key')],
    ['a key constructor', { constructor: 1 }, problem(`${AT}.constructor`, 'forbidden_key', 'is a forbidden key')],
    ['a key prototype', { a: [{ prototype: 1 }] }, problem(`${AT}.a.0.prototype`, 'forbidden_key', 'is a forbidden key')],
    ['a key with half of a surrogate pair', { '\udc00': 1 }, problem(`${AT}.\ufffd`, 'surrogate', 'contains half of a surrogate pair')],
  ])('%s is named with its place', { tags: ['PE-54'] }, (_what, value, problems) => {
    expect(refusal(withValue(value))).toEqual(problems);
  });

  it('cycles, depth, size and things that throw end in an error, too', () => {
    expect((startPlan(withValue(cyclic)).current as PlanDone).envelope['error']).toMatchObject({
      details: { errors: [{ keyword: 'depth', message: 'is nested too deeply' }] },
    });
    const thrower = {
      get x(): never {
        throw new Error('no');
      },
    };
    expect(startPlan(withValue(thrower)).current).toMatchObject({ error: { code: 'INVALID_CONTRACT' } });
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    for (const input of [
      trap,
      withValue(trap),
      { header: trap },
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
    ]) {
      expect(startPlan(input).current).toMatchObject({ kind: 'done', error: { code: 'INVALID_CONTRACT' } });
    }
    expect(refusal(withValue('x'.repeat(5 * 1024 * 1024)))).toEqual([{ path: AT, keyword: 'size', message: 'makes the document too large' }]);
    expect(refusal(withValue(Array.from({ length: 500_001 }, () => 1)))).toMatchObject([{ keyword: 'size' }]);
  });

  it.each([undefined, null, 1, 'text', [], {}, true, [1], { header: HEADER }, { payload: {} }, { context: {} }, { payload: null }])(
    '%j is an error envelope, not an exception',
    { tags: ['PE-16', 'PE-54'] },
    (input) => {
      const { done } = play(input);
      expect(done).toMatchObject({ kind: 'done', error: { code: 'INVALID_CONTRACT' }, endedBy: undefined });
      expect(done.envelope).toMatchObject({ output: { results: [] } });
      expect(linkPlan(input, () => undefined)).toMatchObject({ ok: false, code: 'INVALID_CONTRACT' });
    },
  );

  it('keeps header and memory of input that as a whole cannot be read', () => {
    const memory = { session_id: 'mine', state: { a: 1 } };
    const ofExecution = startPlan({ header: HEADER, payload: { steps: [() => 1], memory } }).current as PlanDone;
    expect(ofExecution.envelope).toMatchObject({ header: HEADER, output: { memory } });
    const ofLegacy = startPlan({ context: { memory }, input: { x: undefined } }).current as PlanDone;
    expect(ofLegacy.envelope).toMatchObject({ output: { memory } });
    const nothing = startPlan(undefined).current as PlanDone;
    // SHA-256 of `{}`, as `printf '{}' | sha256sum` has it.
    expect(nothing.envelope['header']).toMatchObject({ id: 'env-44136fa355b3678a1146ad16f7e8649e' });
  });

  it('is judged as deep as the table of limits says, and its own depth after normalization', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    // envelope, payload, steps, step, params: 5 levels around the value.
    expect(play(withFiles(withValue(nested(25)))).code).toBeUndefined();
    expect(refusal(withFiles(withValue(nested(26))))).toMatchObject([{ keyword: 'depth' }]);
    const legacy = (levels: number): unknown => ({
      context: { memory: { session_id: 's', state: {} }, deep: nested(levels) },
      input: { steps: [say()], registryFiles: files({ tools: [ECHO] }) },
    });
    expect(play(legacy(26)).code).toBeUndefined();
    expect(refusal(legacy(27))).toEqual([{ path: '', keyword: 'depth', message: 'is nested too deeply' }]);
  });
});

function withFiles(envelope: unknown): unknown {
  const { header, payload } = envelope as { header: JsonObject; payload: { steps: JsonObject[] } };
  return { header, payload: { steps: payload.steps.map((step) => ({ ...step, operation: 'say' })), registryFiles: files({ tools: [ECHO] }) } };
}

describe('a result that is none', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'ok'],
    ['success with an error', { ok: true, data: {}, error: { code: 'X', message: 'y' } }],
    ['failure without an error', { ok: false, data: null, error: null }],
    ['failure with data', { ok: false, data: {}, error: { code: 'X', message: 'y' } }],
    ['data that is a list', { ok: true, data: [], error: null }],
    ['an extra field', { ok: true, data: {}, error: null, extra: 1 }],
    ['no data at all', { ok: true, error: null }],
    ['a forbidden key', JSON.parse('{"ok":true,"data":{"__proto__":1},"error":null}')],
    ['too much', ok({ text: 'x'.repeat(1024 * 1024) })],
    ['too deep', JSON.parse(`{"ok":true,"data":${'{"a":'.repeat(30)}1${'}'.repeat(30)},"error":null}`)],
    ['an error without a code', { ok: false, data: null, error: { message: 'y' } }],
    ['an error without a message', { ok: false, data: null, error: { code: 'X' } }],
    ['an error without saying that there is no data', { ok: false, error: { code: 'X', message: 'y' } }],
    ['a success that does not say that there is no error', { ok: true, data: {} }],
    ['meta that is a list', { ok: true, data: {}, error: null, meta: [] }],
    ['meta of a failure that is text', { ok: false, data: null, error: { code: 'X', message: 'y' }, meta: 'm' }],
    ['an ok that is text', { ok: 'true', data: {}, error: null }],
  ])('%s is INVALID_TOOL_RESULT, which the policy of the step handles', { tags: ['PE-34'] }, (_what, answer) => {
    const { code, results, done, error } = play(execution([say()]), () => answer);
    expect([code, done.endedBy]).toEqual(['INVALID_TOOL_RESULT', '0']);
    expect(results).toMatchObject([
      { ok: false, data: null, error: { code: 'INVALID_TOOL_RESULT', message: 'the tool answered with something that is not a tool result' } },
    ]);
    expect(error).toMatchObject({ details: { errors: expect.any(Array) as unknown, step: { path: '0' } } });
    expect(play(execution([say({}, { on_error: { mode: 'continue' } }), say()]), (_call, index) => (index === 0 ? answer : ok()))).toMatchObject({
      code: undefined,
    });
  });
});
