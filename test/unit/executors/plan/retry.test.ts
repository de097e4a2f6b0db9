import { describe, expect, it } from 'vitest';
import { crashedTooOften, lostTooOften, ROLLED_BACK_TOO_OFTEN } from '../../../../src/core/counted.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import { bad, cap, capability, execution, ok, type Played, pathsOf, play, RETRIED_FAILURES, say, tool } from '../../../support/plan-core.ts';

const RETRY = { retry: { max: 2, backoff_ms: 100 } };
const failed = (code: string, message: string): JsonObject => ({ ok: false, data: null, error: { code, message } });
const waitsOf = ({ calls }: Played): unknown[] => calls.map(({ retry }) => retry?.waitMs);

describe('a declared retry', () => {
  it('makes the call again at a place of its own, doubling the wait, until it succeeds', () => {
    const played = play(execution([say({ x: 1 }, { ...RETRY, save: { to: { x: '$.data.x' } } }), say()]), (_call, at) => (at < 2 ? bad() : ok({ x: at })));
    expect(pathsOf(played)).toEqual(['0', '0~2', '0~3', '1']);
    expect(waitsOf(played)).toEqual([undefined, 100, 200, undefined]);
    expect(played.calls.map(({ retry }) => retry?.attempt)).toEqual([undefined, 2, 3, undefined]);
    expect(played.calls.map(({ toolInput }) => [toolInput.stepId, toolInput.params])).toEqual([
      ['0-echo', { x: 1 }],
      ['1-echo', { x: 1 }],
      ['2-echo', { x: 1 }],
      ['3-echo', {}],
    ]);
    expect(played.results.map((result) => result['ok'])).toEqual([false, false, true, true]);
    expect([played.error, played.state]).toEqual([null, { x: 2 }]);
  });

  it('that is spent leaves the last error to on_error, and names the last attempt as what ended the plan', () => {
    const played = play(execution([say({}, RETRY)]), () => bad());
    expect([pathsOf(played), played.code, played.done.endedBy]).toEqual([['0', '0~2', '0~3'], 'TOOL_FAILED', '0~3']);
    expect(pathsOf(play(execution([say({}, { ...RETRY, on_error: { mode: 'continue' } }), say()]), (_c, at) => (at < 3 ? bad() : ok())))).toEqual([
      '0',
      '0~2',
      '0~3',
      '1',
    ]);
  });

  it('waits a second unless it says otherwise, and an hour at most', () => {
    expect(waitsOf(play(execution([say({}, { retry: { max: 1 } })]), () => bad()))).toEqual([undefined, 1_000]);
    expect(waitsOf(play(execution([say({}, { retry: { max: 3, backoff_ms: 2_000_000 } })]), () => bad()))).toEqual([
      undefined,
      2_000_000,
      3_600_000,
      3_600_000,
    ]);
  });

  it.each([
    ['TOOL_OUTCOME_UNKNOWN', 'the connection was closed; nobody can tell whether the call had its effect'],
    ['EXECUTION_FAILED', 'cancelled'],
    ['EXECUTION_FAILED', 'outcome unknown: the rename answered EIO'],
    ['EXECUTION_FAILED', 'the same fault came back 6 times (TypeError); nobody can tell whether the task had its effect'],
    ['EXECUTION_FAILED', 'inputs.source_path must be absolute'],
    ['RESOURCE_EXHAUSTED', 'the worker was lost 5 times while it ran this task'],
    ['RESOURCE_EXHAUSTED', lostTooOften(5).error?.message ?? ''],
    ['RESOURCE_EXHAUSTED', ROLLED_BACK_TOO_OFTEN.error?.message ?? ''],
    ['EXECUTION_FAILED', crashedTooOften(5).error?.message ?? ''],
    ['SCOPE_NOT_ALLOWED', 'no'],
    ['A_CODE_OF_ITS_OWN', 'no'],
  ])('is not made after %s, %s', (code, message) => {
    expect(pathsOf(play(execution([say({}, RETRY)]), () => failed(code, message)))).toEqual(['0']);
  });

  it.each(RETRIED_FAILURES)('is made after %s, %s', (code, message) => {
    expect(pathsOf(play(execution([say({}, RETRY)]), () => failed(code, message)))).toHaveLength(3);
  });

  it('may be for some codes only', () => {
    const step = say({}, { retry: { max: 2, codes: ['SCOPE_UNAVAILABLE'] } });
    expect(pathsOf(play(execution([step]), () => bad()))).toEqual(['0']);
    expect(pathsOf(play(execution([step]), () => bad('SCOPE_UNAVAILABLE')))).toHaveLength(3);
  });

  it('is not made for an error that no call has raised, nor for a save that fails', () => {
    expect(play(execution([say({ unknown: 1 }, RETRY)]))).toMatchObject({ code: 'PARAMS_MISMATCH', calls: [] });
    expect(pathsOf(play(execution([say({}, { ...RETRY, save: { to: { x: '$.data.gone' } } })])))).toEqual(['0']);
  });

  it('counts each attempt as a step', () => {
    const played = play(execution([say({}, { retry: { max: 10 } })], { options: { maxSteps: 3 } }), () => bad());
    expect([played.calls.length, played.code]).toEqual([3, 'MAX_STEPS_EXCEEDED']);
  });

  it('of an action counts for the steps that declare none, fallbacks too', () => {
    const flaky = tool('flaky', {});
    const catalog = { tools: [{ ...flaky, actions: [{ name: 'go', retry: { max: 1 }, timeout_ms: 500 }] }] };
    const go = { type: 'tool', ref: 'flaky', operation: 'go', params: {} };
    const fallback = { type: 'tool', ref: 'flaky', operation: 'go' };
    const played = play(execution([{ ...go, retry: { max: 0 }, timeout_ms: 90, on_error: { mode: 'fallback', fallback } }], { catalog }), () => bad());
    expect(pathsOf(played)).toEqual(['0', '0!fb', '0!fb~2']);
    expect(played.calls.map(({ timeoutMs }) => timeoutMs)).toEqual([90, 500, 500]);
  });

  it('has a place of its own in each turn of a loop', () => {
    const played = play(execution([say({}, { retry: { max: 1 }, for_each: { list: 'memory.state.list' } })], { state: { list: [1, 2] } }), (_c, at) =>
      at === 0 ? bad() : ok(),
    );
    expect(pathsOf(played)).toEqual(['0#0', '0#0~2', '0#1']);
  });

  it('of a group is refused before anything runs: what has succeeded in it would run again', () => {
    const catalog = { capabilities: [capability('c', [say()])] };
    expect(play(execution([cap('c', {}, RETRY)], { catalog }))).toMatchObject({ code: 'INVALID_CONTRACT', calls: [] });
    expect(play(execution([cap('c', {}, { timeout_ms: 100 })], { catalog }))).toMatchObject({ code: 'INVALID_CONTRACT', calls: [] });
  });

  it.each([{ max: 11 }, { max: -1 }, { max: 1, backoff_ms: 3_600_001 }, { max: 1, codes: ['TOOL_OUTCOME_UNKNOWN'] }, { max: 1, codes: [] }, {}])(
    'of %j is refused',
    (retry) => {
      expect(play(execution([say({}, { retry })])).code).toBe('INVALID_CONTRACT');
    },
  );
});

describe('on_error by code', () => {
  const fallback = say({ x: 2 });
  const step = say({}, { on_error: { mode: 'stop', by_code: { TOOL_FAILED: { mode: 'continue' }, SCOPE_UNAVAILABLE: { mode: 'fallback', fallback } } } });

  it('stands in place of the mode for exactly that code', () => {
    const paths = (code: string): readonly unknown[] => {
      const played = play(execution([step, say()]), (_call, at) => (at === 0 ? bad(code) : ok()));
      return [played.code, ...pathsOf(played)];
    };
    expect(paths('TOOL_FAILED')).toEqual([undefined, '0', '1']);
    expect(paths('SCOPE_UNAVAILABLE')).toEqual([undefined, '0', '0!fb', '1']);
    expect(paths('EXECUTION_FAILED')).toEqual(['EXECUTION_FAILED', '0']);
  });

  it('does not handle what no policy handles', () => {
    const over = say({}, { on_error: { mode: 'stop', by_code: { MAX_STEPS_EXCEEDED: { mode: 'continue' } } } });
    expect(play(execution([say(), over], { options: { maxSteps: 1 } })).code).toBe('MAX_STEPS_EXCEEDED');
  });

  it('links what its fallbacks name, before anything runs', () => {
    const unknown = { type: 'tool', ref: 'gone' };
    const played = play(execution([say({}, { on_error: { mode: 'stop', by_code: { TOOL_FAILED: { mode: 'fallback', fallback: unknown } } } })]));
    expect([played.code, played.calls.length]).toEqual(['UNKNOWN_REF', 0]);
  });
});
