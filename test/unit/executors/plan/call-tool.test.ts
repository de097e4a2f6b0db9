import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { bad, execution, HEADER, ok, play, say, tool } from '../../../support/plan-core.ts';

const TOOL = tool('t', { go: ['a', 'b'], open: [], sampleFetch: [] });
const step = (params: JsonObject, operation?: string): JsonObject => ({ type: 'tool', ref: 't', params, ...(operation !== undefined && { operation }) });
const run = (one: JsonObject): ReturnType<typeof play> => play(execution([one], { catalog: { tools: [TOOL] } }));
const operationOf = (one: JsonObject): unknown => {
  const { calls, code } = run(one);
  return code ?? calls[0]?.toolInput.tool.operation;
};

describe('a tool call', () => {
  it('takes its operation from the step, else from params.action', { tags: ['PE-21'] }, () => {
    expect(operationOf(step({}, 'go'))).toBe('go');
    expect(operationOf(step({ action: 'open' }))).toBe('open');
    expect(operationOf(step({ action: 'open' }, 'go'))).toBe('go');
  });

  it('without either is an error, nothing is guessed', { tags: ['PE-21', 'PE-43'] }, () => {
    expect(run(step({}))).toMatchObject({
      code: 'INVALID_TOOL_DEF',
      calls: [],
      results: [{ stepId: '0-t', ok: false, error: { message: 'the step names no operation' } }],
    });
    expect(operationOf(step({ action: 7 }))).toBe('INVALID_TOOL_DEF');
    expect(operationOf(step({ action: null }))).toBe('INVALID_TOOL_DEF');
  });

  it('of an operation that the tool does not have is an error', () => {
    expect(run(step({}, 'gone'))).toMatchObject({ code: 'UNKNOWN_OPERATION', calls: [], error: { details: { operation: 'gone' } } });
    expect(operationOf(step({ action: 'toString' }))).toBe('UNKNOWN_OPERATION');
    expect(run(step({ action: 'x'.repeat(1000) })).error).toMatchObject({ details: { operation: 'x'.repeat(128) } });
  });

  it('takes no parameters but those that the action names; fewer are the business of the tool', { tags: ['PE-20'] }, () => {
    expect(run(step({ a: 1, b: 2, action: 'go' })).code).toBeUndefined();
    expect(run(step({ a: 1 }, 'go')).code).toBeUndefined();
    expect(run(step({}, 'go')).code).toBeUndefined();
    expect(run(step({ z: 1, a: 1, c: 2 }, 'go'))).toMatchObject({
      code: 'PARAMS_MISMATCH',
      calls: [],
      error: { message: 'the operation does not take these parameters', details: { unexpected: ['c', 'z'] } },
    });
    expect(run(step({ a: 1 }, 'open')).code).toBe('PARAMS_MISMATCH');
    expect(run(step(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1])), 'go')).error?.['details']).toMatchObject({
      unexpected: { length: 50 },
    });
  });

  it('of sampleFetch takes anything', () => {
    expect(run(step({ anything: 1 }, 'sampleFetch')).code).toBeUndefined();
  });

  it('of an action without a list of parameters takes none', () => {
    const bare = { ...tool('t', {}), actions: [{ name: 'go' }] };
    const play1 = (params: JsonObject): unknown => play(execution([step(params, 'go')], { catalog: { tools: [bare] } })).code;
    expect([play1({}), play1({ action: 'go' }), play1({ a: 1 })]).toEqual([undefined, undefined, 'PARAMS_MISMATCH']);
  });

  it('of two actions with one name is the first', () => {
    const twice = {
      ...tool('t', {}),
      actions: [
        { name: 'go', input: ['a'] },
        { name: 'go', input: ['b'] },
      ],
    };
    expect(play(execution([step({ a: 1 }, 'go')], { catalog: { tools: [twice] } })).code).toBeUndefined();
  });

  it('carries run, step, tool, parameters and memory, and nothing else', { tags: ['PE-33', 'PE-40'] }, () => {
    const { calls } = play(execution([say({ x: 1 }), say({ x: { keep: [null, ''] } })], { state: { a: 1 } }));
    expect(calls[1]).toEqual({
      kind: 'call',
      path: '1',
      toolInput: {
        runId: HEADER.id,
        stepId: '1-echo',
        tool: { ref: 'echo', provider: 'echo', operation: 'say' },
        params: { x: { keep: [null, ''] } },
        context: { memory: { session_id: 's', state: { a: 1 } } },
      },
    });
  });

  it('stays the current one until it is answered; then stepsDone counts it', () => {
    const { run: finished } = play(execution([say(), say({}, { when: 'false' }), say()]));
    expect(finished.stepsDone).toBe(2);
    expect(finished.feed(ok())).toBe(finished.current);
  });

  it('comes one at a time, in the order of the steps', { tags: ['PE-07', 'PE-58', 'PE-64'] }, () => {
    const steps = Array.from({ length: 5 }, (_, index) => say({ x: index }));
    const log: number[] = [];
    const { results } = play(execution(steps), ({ toolInput }) => {
      log.push(Number(toolInput.params['x']));
      return ok({ x: toolInput.params['x'] ?? null });
    });
    expect(log).toEqual([0, 1, 2, 3, 4]);
    expect(results.map(({ data }) => data)).toEqual(log.map((x) => ({ x })));
  });
});

describe('results', () => {
  it('are stored as the tool has answered, uninterpreted, with data and error always there', { tags: ['PE-35', 'PE-57'] }, () => {
    const answer = { ok: true, data: { code: 'ERROR', success: false, list: [{}, null] }, error: null, meta: { tokens: 3 } };
    const { results } = play(
      execution([say(), say({}, { on_error: { mode: 'continue' } }), say()]),
      (_call, index) => [answer, { ...bad('X'), meta: { m: 1 } }, { ok: true, data: null, error: null }][index],
    );
    expect(results).toEqual([
      { stepId: '0-echo', ref: 'echo', ...answer },
      { stepId: '1-echo', ref: 'echo', ok: false, data: null, error: { code: 'X', message: 'X it is' }, meta: { m: 1 } },
      { stepId: '2-echo', ref: 'echo', ok: true, data: null, error: null },
    ]);
  });

  it('do not count steps that were skipped, whose numbers are used up', () => {
    const { results } = play(execution([say({}, { when: 'false' }), say(), say({}, { when: 'false' }), say()]));
    expect(results.map(({ stepId }) => stepId)).toEqual(['1-echo', '3-echo']);
  });

  it('an error of a tool without details has none in the envelope but its step', () => {
    expect(play(execution([say()]), () => bad('X')).error).toEqual({
      code: 'X',
      message: 'X it is',
      details: { step: { stepId: '0-echo', path: '0', ref: 'echo' } },
    });
    expect(play(execution([say()]), () => ({ ok: false, data: null, error: { code: 'X', message: 'm', details: null } })).error).toMatchObject({
      details: { step: { path: '0' } },
    });
  });
});

describe('the number of steps', () => {
  const many = (count: number): JsonObject[] => Array.from({ length: count }, () => say());

  it('is thirty unless the options say something else, and counts calls', () => {
    expect(play(execution(many(30))).code).toBeUndefined();
    const { code, error, calls, results } = play(execution(many(31)));
    expect([code, calls.length, results.length]).toEqual(['MAX_STEPS_EXCEEDED', 30, 30]);
    expect(error).toMatchObject({
      message: 'the plan calls tools more often than its option maxSteps allows (30)',
      details: { limit: 30, step: { path: '30', stepId: '30-echo', ref: 'echo' } },
    });
    expect(play(execution(many(2), { options: { maxSteps: 1 } })).calls).toHaveLength(1);
  });

  it('does not count what is skipped or fails before its call', () => {
    const idle = [
      ...Array.from({ length: 40 }, () => say({}, { when: 'false' })),
      ...Array.from({ length: 40 }, () => say({ wrong: 1 }, { on_error: { mode: 'continue' } })),
    ];
    expect(play(execution([...idle, ...many(30)])).code).toBeUndefined();
  });
});
