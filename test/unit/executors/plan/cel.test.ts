import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { bad, execution, ok, play, say } from '../../../support/plan-core.ts';

const STATE: JsonObject = {
  n: 3,
  big: 9007199254740991,
  half: 0.5,
  name: 'high',
  empty: '',
  list: [1, 'two', { three: 3 }],
  same: [1, 'two', { three: 3 }],
  map: { a: 1, 'odd key': 2 },
  swapped: { b: { c: 1, d: 2 } },
  straight: { b: { d: 2, c: 1 } },
  yes: true,
  no: false,
  nothing: null,
  emoji: '\u{1F600}',
  wide: '\uFF5E',
};

/** `true`/`false`: the step runs or is skipped; `error`: WHEN_ERROR; `invalid`: INVALID_CONTRACT before anything runs. */
function judge(when: unknown): boolean | 'error' | 'invalid' {
  const step = { ...say(), when } as JsonObject;
  const { calls, code, done } = play(execution([step], { state: STATE, options: { context: { c: { d: 'x' } }, input: { i: [7] } } }));
  if (code === 'INVALID_CONTRACT') {
    expect(done.envelope['error']).toEqual({
      code,
      message: 'the envelope is not one that can be executed',
      details: {
        errors: [{ path: 'payload.steps.0.when', keyword: 'syntax', message: expect.stringMatching(/^is no expression of its kind, from character \d+ on$/) }],
      },
    });
    return 'invalid';
  }
  return code === 'WHEN_ERROR' ? 'error' : calls.length === 1;
}

/** The golden file of expressions: a change of the parser or of ours that changes one of these shows here. */
const GOLDEN: readonly (readonly [source: string, expected: boolean | 'error' | 'invalid'])[] = [
  ["memory.state.name == 'high'", true],
  ["memory.state.name != 'high'", false],
  ["memory.state.empty != ''", false],
  ['memory.state.n == 3', true],
  ['memory.state.n == 3.0', true],
  ['3 == 3.0', true],
  ['memory.state.n == 0x3', true],
  ['memory.state.n != 4', true],
  ['memory.state.n > 2', true],
  ['memory.state.n > 3', false],
  ['memory.state.n >= 3', true],
  ['memory.state.n < 3', false],
  ['memory.state.n <= 3', true],
  ['memory.state.n <= 2', false],
  ['memory.state.n >= 4', false],
  ['memory.state.n < 4', true],
  ['memory.state.n > -1', true],
  ['-0.5 < memory.state.half', true],
  ['memory.state.n == -3', false],
  ['memory.state.big == 9007199254740991', true],
  ['memory.state.half == 0.5', true],
  ["memory.state.name < 'i'", true],
  ["memory.state.name > 'i'", false],
  ['memory.state.wide < memory.state.emoji', true],
  ["memory.state.n < 'a'", 'error'],
  ['memory.state.yes < memory.state.no', 'error'],
  ["memory.state.n == '3'", false],
  ["memory.state.n != '3'", true],
  ['memory.state.nothing == null', true],
  ['memory.state.n == null', false],
  ['memory.state.list == memory.state.same', true],
  ['memory.state.list == memory.state.map', false],
  ['memory.state.map == memory.state.list', false],
  ['memory.state.straight == memory.state.swapped', true],
  ['memory.state.list == [1]', false],
  ['memory.state.list == [1, "two", 3]', false],
  ['memory.state.yes', true],
  ['memory.state.no', false],
  ['!memory.state.no', true],
  ['!!memory.state.no', false],
  ['!memory.state.n', 'error'],
  ['memory.state.n', 'error'],
  ['memory.state.name', 'error'],
  ['memory.state.nothing', 'error'],
  ['memory.state.gone', 'error'],
  ['memory.state.gone == 1', 'error'],
  ['1 == memory.state.gone', 'error'],
  ['memory.state.gone < 1', 'error'],
  ['1 < memory.state.gone', 'error'],
  ['memory.state.n.deep == 1', 'error'],
  ['memory.state.list.three == 1', 'error'],
  ['has(memory.state.n)', true],
  ['has(memory.state.nothing)', true],
  ['has(memory.state.gone)', false],
  ['has(memory.state.gone.deeper)', 'error'],
  ['has(memory.state.n.deeper)', 'error'],
  ['has(memory.state.list.length)', 'error'],
  ['has(memory.state.toString)', false],
  ['has(memory)', 'invalid'],
  ['has(memory.state["n"])', 'invalid'],
  ['has(memory.state.constructor)', 'invalid'],
  ['has(memory.state.n, memory.state.n)', 'invalid'],
  ['has()', 'invalid'],
  ['size(memory.state.list) == 3', true],
  ['size(memory.state.map) == 2', true],
  ['size(memory.state.name) == 4', true],
  ['size(memory.state.emoji) == 1', true],
  ['size(memory.state.n) == 1', 'error'],
  ['size(memory.state.nothing) == 0', 'error'],
  ['size(memory.state.gone) == 0', 'error'],
  ['memory.state.list[0] == 1', true],
  ['memory.state.list[2].three == 3', true],
  ['memory.state.list[3] == 1', 'error'],
  ['memory.state.list[-1] == 1', 'error'],
  ['memory.state.list["0"] == 1', 'error'],
  ['memory.state.list[0.5] == 1', 'error'],
  ['memory.state.list[true] == 1', 'error'],
  ['memory.state.map["odd key"] == 2', true],
  ['memory.state.map["toString"] == 2', 'error'],
  ['memory.state["__proto__"] == 2', 'error'],
  ['memory.state.map[0] == 1', 'error'],
  ['memory.state.n in [1, 2, 3]', true],
  ['memory.state.n in [1, memory.state.gone]', 'error'],
  ['memory.state.gone in [1]', 'error'],
  ['memory.state.n in []', false],
  ['{"a": 1} == memory.state.map', 'invalid'],
  ["'two' in memory.state.list", true],
  ["'a' in memory.state.map", true],
  ["'b' in memory.state.map", false],
  ["'toString' in memory.state.map", false],
  ['1 in memory.state.map', 'error'],
  ["'h' in memory.state.name", 'error'],
  ['memory.state.yes && memory.state.yes', true],
  ['memory.state.yes && memory.state.no', false],
  ['memory.state.no && memory.state.gone', false],
  ['memory.state.gone && memory.state.no', false],
  ['memory.state.yes && memory.state.gone', 'error'],
  ['memory.state.yes && memory.state.n', 'error'],
  ['memory.state.n && memory.state.yes', 'error'],
  ['memory.state.no || memory.state.yes', true],
  ['memory.state.no || memory.state.no', false],
  ['memory.state.gone || memory.state.yes', true],
  ['memory.state.yes || memory.state.gone', true],
  ['memory.state.no || memory.state.gone', 'error'],
  ['memory.state.n || memory.state.no', 'error'],
  ['memory.state.yes ? memory.state.no : memory.state.gone', false],
  ['memory.state.no ? memory.state.gone : true', true],
  ['memory.state.n ? true : true', 'error'],
  ['has(memory.state.gone) && memory.state.gone > 1', false],
  ['input.i[0] == 7', true],
  ["context.c.d == 'x'", true],
  ["memory.session_id == 's'", true],
  ['true', true],
  ['false', false],
  ['1', 'error'],
  ['"a" == "\\u0061"', true],
  [' ', 'invalid'],
  ['memory.state.n ==', 'invalid'],
  ['memory.state.n + 1 == 4', 'invalid'],
  ['memory.state.n - 1 == 2', 'invalid'],
  ['memory.state.n * 1 == 3', 'invalid'],
  ['-memory.state.n == -3', 'invalid'],
  ['-"a" == 1', 'invalid'],
  ['1u == 1', 'invalid'],
  ['b"a" == "a"', 'invalid'],
  ['9007199254740992 == 1', 'invalid'],
  ['[9007199254740992] == [1]', 'invalid'],
  ['other.x == 1', 'invalid'],
  ['request == 1', 'invalid'],
  ['memory.constructor == 1', 'invalid'],
  ['memory.__proto__ == 1', 'invalid'],
  ['memory.prototype == 1', 'invalid'],
  ["memory.state.name.matches('h.*')", 'invalid'],
  ["memory.state.name.startsWith('h')", 'invalid'],
  ['memory.state.list.exists(x, x == 1)', 'invalid'],
  ['memory.state.list.all(x, x == 1)', 'invalid'],
  ['memory.state.list.map(x, x) == []', 'invalid'],
  ['memory.state.name.size() == 4', 'invalid'],
  ["timestamp('2026-01-01T00:00:00Z') == timestamp('2026-01-01T00:00:00Z')", 'invalid'],
  ["duration('1s') == duration('1s')", 'invalid'],
  ['int(memory.state.n) == 3', 'invalid'],
  ['type(1) == int', 'invalid'],
  ['size(memory.state.list, 1) == 1', 'invalid'],
  ['size(other) == 1', 'invalid'],
  ['other ? true : false', 'invalid'],
  ['true ? other : false', 'invalid'],
  ['true ? false : other', 'invalid'],
  ['!other', 'invalid'],
  ['memory.state[other] == 1', 'invalid'],
  ['other[0] == 1', 'invalid'],
  ['other.b == 1', 'invalid'],
  ['true && other', 'invalid'],
  ['other || true', 'invalid'],
  ['1 in [other]', 'invalid'],
  [`${'('.repeat(40)}true${')'.repeat(40)}`, 'invalid'],
  [`${'['.repeat(200)}${']'.repeat(200)} == 1`, 'invalid'],
  [`${'!'.repeat(1000)}true`, true],
  [`'${'a'.repeat(1014)}' == ''`, false],
  [`'${'\u{1F600}'.repeat(600)}' == ''`, 'invalid'],
  [`${'true && '.repeat(127)}true`, true],
];

describe('when as restricted CEL', () => {
  it.each(GOLDEN)('%s is %s', { tags: ['PE-13'] }, (source, expected) => {
    expect(judge(source)).toBe(expected);
  });

  it('refuses an empty condition by the contract', () => {
    const { error } = play(execution([{ ...say(), when: '' }]));
    expect(error).toMatchObject({ code: 'INVALID_CONTRACT', details: { errors: [{ path: 'payload.steps.0.when' }] } });
  });

  it.each([
    ['input.i ++ 1', 10],
    ['input.i + 1 == 2', 1],
    ['size(input.i) > 0 && matches(input.i)', 22],
    ['input.i == ', 12],
    ["has(input.i) && 'open", 17],
    ['true || [1, nothing] == 1', 13],
  ])('says where %s is none', (when, character) => {
    const message = `is no expression of its kind, from character ${character} on`;
    expect(play(execution([{ ...say(), when }])).error).toMatchObject({ details: { errors: [{ path: 'payload.steps.0.when', message }] } });
  });

  it('looks at memory at the moment the step is reached, not before', () => {
    const step = say({}, { save: { to: { x: '$.data.v' } } });
    const { calls } = play(execution([say({ x: 1 }, { when: 'has(memory.state.x)' }), step, say({ x: 2 }, { when: 'memory.state.x == 1' })]), () =>
      ok({ v: 1 }),
    );
    expect(calls.map(({ path }) => path)).toEqual(['1', '2']);
  });

  it('a step whose condition fails has an entry, runs no tool, and its policy applies', () => {
    const steps = [say({}, { when: 'memory.state.gone', on_error: { mode: 'continue' } }), say({ x: 2 })];
    const { results, code, calls } = play(execution(steps));
    expect(code).toBeUndefined();
    expect(calls.map(({ toolInput }) => toolInput.stepId)).toEqual(['1-echo']);
    expect(results[0]).toEqual({
      stepId: '0-echo',
      ref: 'echo',
      ok: false,
      data: null,
      error: { code: 'WHEN_ERROR', message: 'the condition has no boolean value', details: {} },
    });
    expect(play(execution([say({}, { when: 'memory.state.gone', on_error: { mode: 'fallback', fallback: say({ x: 1 }) } })]), () => bad()).code).toBe(
      'TOOL_FAILED',
    );
  });
});
