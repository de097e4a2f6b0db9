import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/core/json.ts';
import { cap, capability, execution, paramsOf, play, say } from '../../../support/plan-core.ts';

const OPTIONS = { context: { slack: { channel: '#ops' }, n: 1.5 } };
const STATE = {
  text: 'T',
  list: [1, { a: 'b' }],
  nothing: null,
  yes: true,
  nested: '{{input.v}}',
  z: { b: 1, a: [2] },
  k: { 'first-name': 1, größe: 2, '@type': 3, 'xml:lang': 4, $ref: 5 },
};

/** What a body with this parameter hands to its tool. */
function bound(x: Json, v: Json = 'V'): unknown {
  const { calls, code } = play(execution([cap('c', { v })], { state: STATE, options: OPTIONS, catalog: { capabilities: [capability('c', [say({ x })])] } }));
  return code ?? calls[0]?.toolInput.params['x'];
}

describe('templates in the body of a definition', () => {
  it.each([
    ['{{input.v}}', 'V'],
    ['={{input.v}}', 'V'],
    ['{{ input.v }}', 'V'],
    ['{{context.slack.channel}}', '#ops'],
    ['{{context.n}}', 1.5],
    ['{{memory.state.list}}', [1, { a: 'b' }]],
    ['{{memory.state.list.1.a}}', 'b'],
    ['{{memory.state.k.first-name}}', 1],
    ['{{memory.state.k.größe}}', 2],
    ['{{memory.state.k.@type}}', 3],
    ['{{memory.state.k.xml:lang}}', 4],
    ['{{memory.state.k.$ref}}', 5],
    ['{{memory.state.nothing}}', null],
    ['{{memory.state.yes}}', true],
    ['{{memory.session_id}}', 's'],
    ['{{input}}', { v: 'V' }],
    ['a {{input.v}} b', 'a V b'],
    ['a {{ input.v }} b', 'a V b'],
    ['{{input.v}}{{input.v}}', 'VV'],
    ['{{input.v}} ', 'V '],
    ['= {{input.v}}', '= V'],
    ['x={{input.v}}', 'x=V'],
    ['{"v":{{memory.state.list}}}', '{"v":[1,{"a":"b"}]}'],
    ['n={{context.n}} {{memory.state.yes}} {{memory.state.nothing}}', 'n=1.5 true null'],
    ['z={{memory.state.z}}', 'z={"a":[2],"b":1}'],
    ['no template', 'no template'],
    ['}} {', '}} {'],
    [
      { '{{input.v}}': '{{input.v}}', deep: [['{{input.v}}', 1]] },
      { '{{input.v}}': 'V', deep: [['V', 1]] },
    ],
    [7, 7],
    [null, null],
    [
      [null, 7, '{{input.v}}'],
      [null, 7, 'V'],
    ],
    [[], []],
    [{}, {}],
  ] as readonly (readonly [Json, Json])[])('%j becomes %j', (template, value) => {
    expect(bound(template)).toEqual(value);
  });

  it('keep the type of a value that stands alone', () => {
    for (const value of [0, false, null, '', [], {}, { a: [null] }]) expect(bound('{{input.v}}', value)).toEqual(value);
  });

  it('are filled once: what was filled in is not looked at again', () => {
    expect(bound('{{memory.state.nested}}')).toBe('{{input.v}}');
    expect(bound('<{{memory.state.nested}}>')).toBe('<{{input.v}}>');
    expect(bound('{{input.v}}', '{{memory.state.text}}')).toBe('{{memory.state.text}}');
  });

  it.each([
    '{{input.gone}}',
    'a{{memory.state.gone}}b',
    '{{input.v.deeper}}',
    '{{memory.state.list.2}}',
    '{{memory.state.list.length}}',
    '{{input.toString}}',
    '{{memory.state.nothing.x}}',
  ])('%s names nothing: UNRESOLVED_REFERENCE, with an entry', (x) => {
    const { code, error, results, calls } = play(
      execution([cap('c', { v: 'V' })], { state: STATE, catalog: { capabilities: [capability('c', [say({ x })])] } }),
    );
    expect([code, calls.length]).toEqual(['UNRESOLVED_REFERENCE', 0]);
    const reference = /\{\{(.*)\}\}/.exec(x)?.[1];
    expect(error).toMatchObject({
      message: 'a template names a value that does not exist',
      details: { reference, step: { stepId: '0-echo', path: '0/cap.c/0' } },
    });
    expect(results).toEqual([
      {
        stepId: '0-echo',
        ref: 'echo',
        ok: false,
        data: null,
        error: { code: 'UNRESOLVED_REFERENCE', message: 'a template names a value that does not exist', details: { reference } },
      },
    ]);
  });

  it.each([
    '{{',
    '{{}}',
    '{{ }}',
    '{{other}}',
    '{{other.x}}',
    '{{input..x}}',
    '{{input.x',
    'a {{input.v}} {{',
    '{{{{input.v}}',
    '{{input.v + 1}} {{1}}',
    '{{input.v + 1}}',
    '={{input.v + 1}}',
    '{{input.v+1}}',
    'n={{input.v * 2}}!',
    '{{input.v - 1}}',
    '{{input.v == 1}}',
    '{{input.v > 1}}',
    '{{!input.v}}',
    '{{input.v ? 1 : 2}}',
    '{{input.v || input.w}}',
    '{{input.v or input.w}}',
    '{{input.v | upper}}',
    '{{size(input.v)}}',
    '{{input.v()}}',
    '{{input.v[0]}}',
    '{{input["v"]}}',
    "{{input.v 'x'}}",
    '{{input.v, input.w}}',
    '{{input.__proto__}}',
    '{{a.b}} {{input.v}}',
  ])('refuses %s before anything runs', (x) => {
    expect(bound(x)).toBe('INVALID_CONTRACT');
  });

  it('the first that is missing in the order of keys is named, whatever order they were written in', () => {
    const gone = (params: JsonObject): unknown =>
      play(execution([cap('c')], { catalog: { capabilities: [capability('c', [say(params)])] } })).error?.['details'];
    expect(gone({ y: '{{input.second}}', x: '{{input.first}}' })).toMatchObject({ reference: 'input.first' });
  });

  it('a group whose parameters cannot be bound has an entry and is not entered', () => {
    const capabilities = [capability('outer', [cap('inner', { v: '{{input.gone}}' })]), capability('inner', [say()])];
    expect(play(execution([cap('outer')], { catalog: { capabilities } }))).toMatchObject({
      code: 'UNRESOLVED_REFERENCE',
      calls: [],
      results: [{ stepId: '0-inner', ref: 'inner', ok: false }],
    });
  });
});

describe('parameters of the envelope itself', () => {
  const raw = { x: '{{input.v}}', y: ['={{memory.state.gone}}', '{{', { a: null }], z: 1 };

  it('are forwarded as they are, extra braces and all', { tags: ['PE-19'] }, () => {
    expect(paramsOf(play(execution([say({ ...raw, action: 'say' })])))).toEqual([{ ...raw, action: 'say' }]);
    expect(paramsOf(play(execution([say(raw)])))).toEqual([raw]);
    expect(paramsOf(play(execution([say(raw)], { options: { interpolate: 'registry' } })))).toEqual([raw]);
  });

  it('of a group arrive in it as they are', () => {
    const catalog = { capabilities: [capability('c', [say({ x: '{{input.x}}' })])] };
    expect(paramsOf(play(execution([cap('c', raw)], { catalog })))).toEqual([{ x: '{{input.v}}' }]);
  });

  it('of a fallback are forwarded as they are', () => {
    const step = say({}, { on_error: { mode: 'fallback', fallback: say(raw) } });
    expect(
      paramsOf(
        play(execution([step]), (_call, index) =>
          index === 0 ? { ok: false, data: null, error: { code: 'X', message: 'y' } } : { ok: true, data: null, error: null },
        ),
      )[1],
    ).toEqual(raw);
  });

  it('are filled when the options ask for all', () => {
    const options = { interpolate: 'all', input: { v: [1] } };
    expect(paramsOf(play(execution([say({ x: '{{input.v}}' })], { options })))).toEqual([{ x: [1] }]);
    expect(play(execution([say(raw)], { options })).code).toBe('INVALID_CONTRACT');
  });

  it('and what they hold cannot be changed by who is called', () => {
    const { calls } = play(execution([say({ x: { deep: [1] } })]));
    expect(() => {
      (calls[0]?.toolInput.params['x'] as { deep: number[] } | undefined)?.deep.push(2);
    }).toThrow(TypeError);
    expect(() => {
      Object.assign(calls[0]?.toolInput.context.memory['state'] ?? {}, { x: 1 });
    }).toThrow(TypeError);
  });
});
