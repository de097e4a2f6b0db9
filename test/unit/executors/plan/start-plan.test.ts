import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ExecutionEnvelope, Result, ResultEnvelope } from '../../../../src/contracts/index.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanDone } from '../../../../src/core/ports/plan.ts';
import { advance, CODES, replay, startPlan, toPayloadResult, toResult } from '../../../../src/executors/plan/index.ts';
import { bad, cap, capability, deepFreeze, ECHO, execution, files, HEADER, ok, play, say } from '../../../support/plan-core.ts';

const CATALOG = { capabilities: [capability('c', [cap('d'), say()]), capability('d', [say()])] };

describe('the result envelope', () => {
  it('holds header, results, memory and error, and nothing else', { tags: ['PE-28', 'PE-29', 'PE-31'] }, () => {
    for (const debug of [{}, { debug: false }]) {
      const { done } = play(execution([say({}, { save: { to: { n: '$.data.n' } } })], { options: debug }), () => ok({ n: 1 }));
      expect(done.envelope).toEqual({
        header: HEADER,
        output: { results: [{ stepId: '0-echo', ref: 'echo', ...ok({ n: 1 }) }], memory: { session_id: 's', state: { n: 1 } } },
        error: null,
      });
    }
    expect(play(execution([say()]), () => bad('X')).done.envelope).toMatchObject({ error: { code: 'X', message: 'X it is' } });
  });

  it('has trace and debug when the options ask for them', { tags: ['PE-30'] }, () => {
    const steps = [cap('c'), say({}, { when: 'false' }), say({}, { on_error: { mode: 'continue' } })];
    const { done } = play(execution(steps, { catalog: CATALOG, options: { debug: true, fallbackRegistry: { tools: { unused: ECHO } } } }), ({ path }) =>
      path === '2' ? bad() : ok(),
    );
    const { trace, debug } = done.envelope['output'] as JsonObject;
    expect(trace).toEqual([
      { stepId: '0-echo', path: '0/cap.c/0/cap.d/0', ref: 'echo', ok: true },
      { stepId: '1-echo', path: '0/cap.c/1', ref: 'echo', ok: true },
      { stepId: '2-echo', path: '1', ref: 'echo', skipped: true },
      { stepId: '3-echo', path: '2', ref: 'echo', ok: false },
    ]);
    // What the registry holds, written by hand as RFC 8785 wants it.
    const echo = '{"actions":[{"input":["x","y","z","text"],"name":"say"},{"input":[],"name":"other"}],"categories":["test"],"id":"echo","version":"1.0.0"}';
    const group = (id: string, body: string): string =>
      `{"category":"capabilities","content":{"id":"${id}","inputs":[],"outputs":[],"steps":[${body}],"version":"1.0.0"},"ref":"${id}"}`;
    const call = '{"operation":"say","params":{},"ref":"echo","type":"tool"}';
    const text = `[${group('c', `{"params":{},"ref":"d","type":"capability"},${call}`)},${group('d', call)},{"category":"tools","content":${echo},"ref":"echo"}]`;
    expect(debug).toEqual({
      stepCount: 3,
      maxDepthReached: 2,
      registry: {
        sha256: createHash('sha256').update(text).digest('hex'),
        sources: { 'capabilities/c': 'files', 'capabilities/d': 'files', 'tools/echo': 'files' },
      },
    });
  });

  it('keeps the parts of memory that the plan does not change', { tags: ['PE-47'] }, () => {
    const memory = { session_id: 'mine', state: { a: { b: 1 } }, stack: ['x'] };
    const { header, payload } = execution([say({}, { save: { to: { c: 'lit:1' } } })]) as { header: JsonObject; payload: JsonObject };
    expect(play({ header, payload: { ...payload, memory } }).done.envelope['output']).toMatchObject({ memory: { ...memory, state: { a: { b: 1 }, c: '1' } } });
  });

  it('is frozen, as what a call shows is', () => {
    const { done } = play(execution([say()]), () => ok({ deep: { x: 1 } }));
    expect(() => (done.envelope['output'] as { results: unknown[] }).results.push(1)).toThrow(TypeError);
    expect(Object.isFrozen(done.envelope) && Object.isFrozen(done)).toBe(true);
  });

  it('every code has its class and a constant message', () => {
    const ofClass = (wanted: 'A' | 'B'): string[] => Object.entries(CODES).flatMap(([code, row]) => (row.class === wanted ? [code] : []));
    expect(ofClass('A')).toEqual([
      'INVALID_CONTRACT',
      'REGISTRY_EMPTY',
      'REGISTRY_INVALID',
      'REGISTRY_CONFLICT',
      'UNKNOWN_REF',
      'EXPANSION_CYCLE',
      'MAX_DEPTH_EXCEEDED',
      'MAX_STEPS_EXCEEDED',
      'MAX_SIZE_EXCEEDED',
      'MAX_WORK_EXCEEDED',
      'REPLAY_MISMATCH',
    ]);
    expect(ofClass('B')).toEqual([
      'WHEN_ERROR',
      'UNRESOLVED_REFERENCE',
      'INVALID_TOOL_DEF',
      'UNKNOWN_OPERATION',
      'PARAMS_MISMATCH',
      'INVALID_TOOL_RESULT',
      'SAVE_CONFLICT',
      'SAVE_PATH_NOT_FOUND',
      'FOR_EACH_NOT_A_LIST',
    ]);
    for (const [, { message }] of Object.entries(CODES)) expect(message).toMatch(/^[a-z][a-z ,_]+$/);
  });
});

describe('results for those who want another form', () => {
  it('a Result: success exactly if there is no error', { tags: ['PE-32', 'PE-55', 'PE-56'] }, () => {
    const good = play(execution([say()])).done.envelope;
    expect(toResult(good)).toEqual({ success: true, data: good['output'], error: null, meta: {} });
    const failed = play(execution([say()]), () => bad('X')).done.envelope;
    expect(toResult(failed)).toEqual({ success: false, data: failed['output'], error: failed['error'], meta: {} });
    for (const result of [toResult(good), toResult(failed)]) expect(Result.safeParse(result).success).toBe(true);
  });

  it('an execution envelope with payload.result, its steps kept', { tags: ['PE-32'] }, () => {
    const envelope = execution([say({}, { save: { to: { n: 'lit:1' } } })], { options: { free: 1 } });
    const { done } = play(envelope);
    const wrapped = toPayloadResult(done.envelope, envelope);
    expect(wrapped).toEqual({
      header: HEADER,
      payload: { ...(envelope['payload'] as JsonObject), memory: { session_id: 's', state: { n: '1' } }, result: toResult(done.envelope) },
    });
    expect(ExecutionEnvelope.safeParse(wrapped).success).toBe(true);
  });

  it('of a legacy envelope it is one, too; of no envelope there is only the result', () => {
    const legacy = { context: { memory: { session_id: 's', state: {} } }, input: { steps: [say()], registryFiles: files({ tools: [ECHO] }) } };
    const wrapped = toPayloadResult(play(legacy).done.envelope, legacy);
    expect(ExecutionEnvelope.safeParse(wrapped).success).toBe(true);
    const nothing = startPlan('x').current as PlanDone;
    expect(toPayloadResult(nothing.envelope, 'x')).toEqual({
      header: nothing.envelope['header'],
      payload: { memory: (nothing.envelope['output'] as JsonObject)['memory'], result: toResult(nothing.envelope) },
    });
  });
});

describe('advance', () => {
  const envelope = deepFreeze(execution([say({ x: 1 }, { save: { to: { n: '$.data.n' } } }), say({ x: 2 }, { when: 'memory.state.n == 1' }), say({ x: 3 })]));
  const answers = new Map<string, unknown>([
    ['0', ok({ n: 1 })],
    ['1', ok({ n: 2 })],
    ['2', ok({ n: 3 })],
  ]);

  it('goes as far as the journal knows, from the beginning every time', () => {
    const upTo = (count: number): unknown => advance(envelope, new Map([...answers].slice(0, count)));
    expect([0, 1, 2].map(upTo)).toMatchObject([
      { kind: 'call', path: '0' },
      { kind: 'call', path: '1' },
      { kind: 'call', path: '2' },
    ]);
    expect(advance(envelope, answers)).toEqual(play(envelope, (_call, index) => ok({ n: index + 1 })).done);
  });

  it('does not use an answer before its step is reached', () => {
    expect(advance(envelope, new Map([['2', ok()]]))).toMatchObject({ kind: 'call', path: '0' });
  });

  it('shows answers that the plan has not asked for; once it is done that is REPLAY_MISMATCH', () => {
    const early = replay(envelope, new Map([['2', ok()]]));
    expect([early.unreached, early.mismatch]).toEqual([['2'], undefined]);
    const strange = replay(envelope, new Map([...answers, ['9', ok()], ['0!fb', ok()]]));
    expect(strange.unreached).toEqual(['9', '0!fb']);
    expect(strange.mismatch).toEqual({
      code: 'REPLAY_MISMATCH',
      message: 'the journal has answers to steps that the plan does not take',
      details: { unreached: ['9', '0!fb'] },
    });
    expect(replay(envelope, answers)).toMatchObject({ unreached: [], mismatch: undefined, run: { stepsDone: 3 } });
    const many = new Map(Array.from({ length: 60 }, (_, index) => [`x${index}`, ok()]));
    expect(replay({}, many).mismatch?.['details']).toMatchObject({ unreached: { length: 50 } });
  });

  it('two plans on their way at the same time know nothing of each other', { tags: ['PE-45', 'PE-49'] }, () => {
    const first = startPlan(envelope);
    const second = startPlan(envelope);
    first.feed(ok({ n: 1 }));
    second.feed(ok({ n: 9 }));
    expect([first.current, second.current]).toMatchObject([{ path: '1' }, { path: '2' }]);
    first.feed(ok());
    first.feed(ok());
    second.feed(bad('X'));
    expect(ResultEnvelope.safeParse((first.current as PlanDone).envelope).success).toBe(true);
    expect([(first.current as PlanDone).error, (second.current as PlanDone).error?.code]).toEqual([null, 'X']);
  });
});
