import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanCall } from '../../../../src/core/ports/plan.ts';
import { bad, cap, capability, execution, ok, paramsOf, pathsOf, play, RETRIED_FAILURES, say } from '../../../support/plan-core.ts';

const CONTINUE = { on_error: { mode: 'continue' } };
const fallback = (step: JsonObject): JsonObject => ({ on_error: { mode: 'fallback', fallback: step } });
/** Fails where the parameter x says so. */
const judge = ({ toolInput }: PlanCall): JsonObject => (toolInput.params['x'] === 'bad' ? bad('X', { why: 1 }) : ok({ said: toolInput.params['x'] ?? null }));

describe('on_error', () => {
  it('stop ends the plan with the error; later steps are not run', { tags: ['PE-15', 'PE-50'] }, () => {
    for (const policy of [{}, { on_error: { mode: 'stop' } }, { on_error: { mode: 'stop', fallback: say() } }]) {
      const { done, results, error, calls } = play(execution([say({ x: 'a' }), say({ x: 'bad' }, policy), say({ x: 'b' })]), judge);
      expect(calls).toHaveLength(2);
      expect(results).toEqual([
        { stepId: '0-echo', ref: 'echo', ok: true, data: { said: 'a' }, error: null },
        { stepId: '1-echo', ref: 'echo', ok: false, data: null, error: { code: 'X', message: 'X it is', details: { why: 1 } } },
      ]);
      expect(error).toEqual({ code: 'X', message: 'X it is', details: { tool: { why: 1 }, step: { stepId: '1-echo', path: '1', ref: 'echo' } } });
      expect(done).toMatchObject({ endedBy: '1', error: { code: 'X', message: 'X it is' } });
    }
  });

  it('continue keeps the failed entry and runs the next step; the plan succeeds', { tags: ['PE-15', 'PE-51'] }, () => {
    const { done, results } = play(execution([say({ x: 'bad' }, CONTINUE), say({ x: 'b' })]), judge);
    expect(results).toMatchObject([{ ok: false, error: { code: 'X' } }, { ok: true }]);
    expect(done).toMatchObject({ error: null, endedBy: undefined });
  });

  it('fallback runs the declared step, once, and saves from its result', { tags: ['PE-15', 'PE-52'] }, () => {
    const step = say(
      { x: 'bad' },
      { ...fallback({ type: 'tool', ref: 'echo', operation: 'say', params: { x: 'second' } }), save: { to: { said: '$.data.said' } } },
    );
    const played = play(execution([step, say({ x: 'c' })]), judge);
    expect(pathsOf(played)).toEqual(['0', '0!fb', '1']);
    expect(paramsOf(played)).toEqual([{ x: 'bad' }, { x: 'second' }, { x: 'c' }]);
    expect(played.results).toMatchObject([
      { stepId: '0-echo', ok: false },
      { stepId: '1-echo', ok: true },
      { stepId: '2-echo', ok: true },
    ]);
    expect(played).toMatchObject({ state: { said: 'second' }, code: undefined });
  });

  it('fallback is not run when nothing fails', () => {
    expect(pathsOf(play(execution([say({ x: 'a' }, fallback(say({ x: 'b' })))]), judge))).toEqual(['0']);
  });

  it('a fallback without parameters has none', () => {
    expect(paramsOf(play(execution([say({ x: 'bad' }, fallback({ type: 'tool', ref: 'echo', operation: 'say' }))]), judge))[1]).toEqual({});
  });

  it('a fallback that fails ends the plan with its own error and names the first as cause', () => {
    const { done, error } = play(execution([say({ x: 'bad' }, fallback(say({ x: 'y' })))]), (call) =>
      call.path === '0' ? bad('FIRST', { a: 1 }) : bad('SECOND'),
    );
    expect(error).toEqual({
      code: 'SECOND',
      message: 'SECOND it is',
      details: { cause: { code: 'FIRST', message: 'FIRST it is', details: { tool: { a: 1 } } }, step: { stepId: '1-echo', path: '0!fb', ref: 'echo' } },
    });
    expect(done.endedBy).toBe('0!fb');
  });

  it('a save that the result of a fallback does not fit ends the plan', () => {
    const { code, done } = play(execution([say({ x: 'bad' }, { ...fallback(say({ x: 'y' })), save: { to: { v: '$.data.gone' } } })]), judge);
    expect([code, done.endedBy]).toEqual(['SAVE_PATH_NOT_FOUND', undefined]);
  });

  it('a fallback may be a group, whose steps stand below its path', () => {
    const catalog = { capabilities: [capability('c', [say({ x: '{{input.v}}' }), say({ x: 'last' })])] };
    const step = say({ x: 'bad' }, { ...fallback({ type: 'capability', ref: 'c', params: { v: 'first' } }), save: { to: { said: '$.data.said' } } });
    const played = play(execution([step], { catalog }), judge);
    expect(pathsOf(played)).toEqual(['0', '0!fb/cap.c/0', '0!fb/cap.c/1']);
    expect(played.state).toEqual({ said: 'last' });
  });

  it('a group that runs nothing as fallback leaves nothing to save', () => {
    const catalog = { capabilities: [capability('c', [say({}, { when: 'false' })])] };
    const step = say({ x: 'bad' }, { ...fallback({ type: 'capability', ref: 'c' }), save: { to: { said: '$.ok' } } });
    expect(play(execution([step], { catalog }), judge).code).toBe('SAVE_PATH_NOT_FOUND');
  });

  it('an error in a group goes to the nearest group around it that handles errors; the rest of the group is skipped', () => {
    const capabilities = [capability('inner', [say({ x: 'bad' }), say({ x: 'never' })]), capability('outer', [cap('inner'), say({ x: 'never' })])];
    const handled = play(execution([cap('outer', {}, CONTINUE), say({ x: 'after' })], { catalog: { capabilities } }), judge);
    expect(pathsOf(handled)).toEqual(['0/cap.outer/0/cap.inner/0', '1']);
    expect(handled.code).toBeUndefined();
    const inside = capability('outer', [cap('inner', {}, CONTINUE), say({ x: 'next' })]);
    const nearer = play(execution([cap('outer')], { catalog: { capabilities: [...capabilities.slice(0, 1), inside] } }), judge);
    expect(pathsOf(nearer)).toEqual(['0/cap.outer/0/cap.inner/0', '0/cap.outer/1']);
    const unhandled = play(execution([cap('outer')], { catalog: { capabilities } }), judge);
    expect(unhandled).toMatchObject({ code: 'X', done: { endedBy: '0/cap.outer/0/cap.inner/0' } });
  });

  it('a group that fails is not saved; its fallback is, and binds in the scope that the group stands in', () => {
    const capabilities = [
      capability('inner', [say({ x: 'fine' }), say({ x: 'bad' })]),
      capability('outer', [cap('inner', { v: 'hidden' }, { ...fallback(say({ x: '{{input.v}}' })), save: { to: { said: '$.data.said' } } })]),
    ];
    const played = play(execution([cap('outer', { v: 'seen' })], { catalog: { capabilities } }), judge);
    expect(pathsOf(played)).toEqual(['0/cap.outer/0/cap.inner/0', '0/cap.outer/0/cap.inner/1', '0/cap.outer/0!fb']);
    expect(played.state).toEqual({ said: 'seen' });
    const passed = play(execution([cap('inner', {}, { ...CONTINUE, save: { to: { said: '$.data.said' } } })], { catalog: { capabilities } }), judge);
    expect(passed).toMatchObject({ code: undefined, state: {} });
  });

  it('errors of the plan itself are handled like those of tools, those of class A never', () => {
    const catalog = { capabilities: [capability('c', [say({ x: '{{input.gone}}' })])] };
    for (const step of [
      cap('c', {}, CONTINUE),
      say({ w: 1 }, CONTINUE),
      { ...say({}, CONTINUE), operation: 'gone' },
      say({}, { ...CONTINUE, when: 'input.gone' }),
    ]) {
      const { code, results, calls } = play(execution([step, say({ x: 'next' })], { catalog }), judge);
      expect([code, results.length, calls.length]).toEqual([undefined, 2, 1]);
      expect(results[0]).toMatchObject({ stepId: expect.stringMatching(/^0-/) as string, ok: false, data: null });
    }
    const many = Array.from({ length: 3 }, () => say({ x: 'a' }, CONTINUE));
    expect(play(execution(many, { options: { maxSteps: 2 } }), judge)).toMatchObject({ code: 'MAX_STEPS_EXCEEDED', done: { endedBy: undefined } });
    const fatal = say({ x: 'bad' }, fallback(say({ x: 'b' })));
    expect(play(execution([fatal], { options: { maxSteps: 1 } }), judge)).toMatchObject({
      code: 'MAX_STEPS_EXCEEDED',
      error: { details: { cause: { code: 'X' } } },
    });
  });

  it('a tool whose error is called like one of class A is still only a tool', () => {
    expect(play(execution([say({}, CONTINUE), say()]), (_call, index) => (index === 0 ? bad('MAX_STEPS_EXCEEDED') : ok())).code).toBeUndefined();
  });

  it('knows no retry: a failing tool is called once', { tags: ['PE-53', 'PE-64'] }, () => {
    const { calls } = play(execution([say({ x: 'bad' }), say()]), judge);
    expect(calls).toHaveLength(1);
  });

  it.each(RETRIED_FAILURES)('invents no retry where none is declared, also after %s, %s', { tags: ['PE-53'] }, (code, message) => {
    const pathsUnder = (policy: JsonObject): unknown =>
      pathsOf(play(execution([say({}, policy)]), (_call, index) => (index === 0 ? { ok: false, data: null, error: { code, message } } : ok())));
    expect([pathsUnder({}), pathsUnder(CONTINUE), pathsUnder(fallback(say()))]).toEqual([['0'], ['0'], ['0', '0!fb']]);
  });
});
