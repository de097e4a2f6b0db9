import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { ECHO, execution, files, HEADER, ok, play, say } from '../../../support/plan-core.ts';

const MEMORY: JsonObject = { session_id: 's', state: { a: 1 }, stack: ['outer'] };
const FILES = files({ tools: [ECHO] });

function legacy(input: JsonObject = {}, context: JsonObject = {}): JsonObject {
  return { context: { memory: MEMORY, ...context }, input: { steps: [say()], registryFiles: FILES, ...input } };
}

const legacyWith = (changes: JsonObject): JsonObject => ({ ...legacy(), ...changes });

const errorsOf = (envelope: unknown): unknown => {
  const { code, error } = play(envelope);
  expect(code).toBe('INVALID_CONTRACT');
  return (error as { details: JsonObject } | null)?.details['errors'];
};

describe('an execution envelope', () => {
  it('is executed as it is: header, steps, memory, definitions and options', { tags: ['PE-05', 'PE-26'] }, () => {
    const envelope = execution([say({ x: 1 })], { state: { deep: { list: [1] } }, options: { free: 'key' } });
    const { done, calls, state } = play(envelope);
    expect(done.envelope['header']).toEqual(HEADER);
    expect(calls[0]?.toolInput).toEqual({
      runId: 'run-1',
      stepId: '0-echo',
      tool: { ref: 'echo', provider: 'echo', operation: 'say' },
      params: { x: 1 },
      context: { memory: { session_id: 's', state: { deep: { list: [1] } } } },
    });
    expect(state).toEqual({ deep: { list: [1] } });
  });

  it('has its header copied unchanged, also into an error envelope', { tags: ['PE-28'] }, () => {
    const header = { ...HEADER, timestamp: '2026-01-01', trace_id: 'abc' };
    expect(play({ ...execution([say()]), header }).done.envelope['header']).toEqual(header);
    expect(play({ header, payload: 1 }).done.envelope['header']).toEqual(header);
    expect(play({ header, payload: { steps: [{ type: 'foo' }] } }).done.envelope['header']).toEqual(header);
  });

  it('without memory gets an empty one under the name of the run', { tags: ['PE-46'] }, () => {
    const { header, payload } = execution([say()]) as { header: JsonObject; payload: JsonObject };
    const { memory: _memory, ...rest } = payload;
    const { calls, done } = play({ header, payload: rest });
    const memory = { session_id: 'run-1', state: {}, stack: [] };
    expect(calls[0]?.toolInput.context).toEqual({ memory });
    expect(done.envelope['output']).toMatchObject({ memory });
  });

  it('that only brings definitions has nothing to execute', () => {
    expect(errorsOf({ header: HEADER, payload: { registryFiles: FILES } })).toEqual([
      { path: 'payload.steps', keyword: 'invalid_type', message: 'is missing' },
    ]);
  });

  it('with an invalid header gets one that is made from its content', () => {
    const envelope = { header: { ...HEADER, runId: 'x' }, payload: { steps: [say()] } };
    expect(errorsOf(envelope)).toEqual([{ path: 'header.runId', keyword: 'unrecognized_keys', message: 'is not a field of this contract' }]);
    expect(play(envelope).done.envelope['header']).toMatchObject({ id: expect.stringMatching(/^env-[0-9a-f]{32}$/) as string, source: 'legacy' });
    expect(errorsOf({ header: { ...HEADER, id: '' }, payload: { steps: [say()] } })).toEqual([
      { path: 'header.id', keyword: 'invalid_format', message: 'has the wrong form' },
    ]);
  });
});

describe('a legacy envelope', () => {
  it('is normalized: steps, memory and definitions become a plan, the rest what templates can name', { tags: ['PE-05', 'PE-06', 'PE-25', 'PE-27'] }, () => {
    const params = { x: '{{context.slack.channel}}', y: '{{input.event}}', z: '{{memory.state.a}}' };
    const steps = [say(params)];
    const { calls, done } = play(legacy({ steps, options: { interpolate: 'all', free: 1 }, event: { id: 7 } }, { slack: { channel: '#ops' } }));
    expect(calls[0]?.toolInput.params).toEqual({ x: '#ops', y: { id: 7 }, z: 1 });
    expect(done.envelope['output']).toMatchObject({ memory: MEMORY });
    expect(done.error).toBeNull();
  });

  it('does not show its steps, definitions and options to templates', () => {
    for (const key of ['steps', 'registryFiles', 'options', 'fallbackRegistry']) {
      const steps = [say({ x: `{{input.${key}}}` })];
      expect(play(legacy({ steps, options: { interpolate: 'all' }, fallbackRegistry: {} })).code).toBe('UNRESOLVED_REFERENCE');
    }
    expect(play(legacy({ steps: [say({ x: '{{context.memory}}' })], options: { interpolate: 'all' } })).code).toBe('UNRESOLVED_REFERENCE');
  });

  it('keeps the bounds that its options set', { tags: ['PE-06'] }, () => {
    const steps = [say(), say()];
    expect(play(legacy({ steps, options: { maxSteps: 1 } })).code).toBe('MAX_STEPS_EXCEEDED');
    expect(play(legacy({ steps, options: { maxSteps: 2 } })).code).toBeUndefined();
  });

  it('takes definitions from input.fallbackRegistry, too', { tags: ['PE-06'] }, () => {
    expect(play(legacy({ registryFiles: [], fallbackRegistry: { tools: { echo: ECHO } } })).code).toBeUndefined();
  });

  it('gets a header without clock or chance: the hash of what it holds', { tags: ['PE-27', 'PE-28'] }, () => {
    const envelope = { input: { steps: [{ type: 'tool', ref: 'slack', params: { text: 'é' } }] }, context: { memory: { session_id: 's', state: {} } } };
    // Written by hand as RFC 8785 wants it: members by name, no blanks.
    const canonical = '{"context":{"memory":{"session_id":"s","state":{}}},"input":{"steps":[{"params":{"text":"é"},"ref":"slack","type":"tool"}]}}';
    const id = `env-${createHash('sha256').update(canonical, 'utf8').digest('hex').slice(0, 32)}`;
    expect(id).toBe('env-64b72a2bc845070c353211cf8ef162a6');
    const { done } = play(envelope);
    expect(done.envelope['header']).toEqual({
      id,
      version: '1.0',
      timestamp: '1970-01-01T00:00:00Z',
      source: 'legacy',
      destination: 'executor',
      type: 'execution',
    });
    expect(play({ ...legacy(), output: { old: 1 }, error: null }).calls[0]?.toolInput.runId).toMatch(/^env-[0-9a-f]{32}$/);
  });

  it('names time and source in its header when it says them', () => {
    const header = (input: JsonObject, context: JsonObject): unknown => play(legacy(input, context)).done.envelope['header'];
    expect(header({ event: { timestamp: '2026-05-06T07:08:09+02:00' } }, { source: 'mail' })).toMatchObject({
      timestamp: '2026-05-06T07:08:09+02:00',
      source: 'mail',
    });
    expect(header({ event: { timestamp: '2026-05-06' } }, { source: '' })).toMatchObject({ timestamp: '2026-05-06', source: 'legacy' });
    expect(header({ event: { timestamp: 'yesterday' } }, { source: 7 })).toMatchObject({ timestamp: '1970-01-01T00:00:00Z', source: 'legacy' });
  });

  it('without steps has nothing to execute', () => {
    const missing = [{ path: 'input.steps', keyword: 'invalid_type', message: 'is missing' }];
    expect(errorsOf({ context: { memory: MEMORY } })).toEqual(missing);
    expect(errorsOf({ context: { memory: MEMORY }, input: { event: 1 } })).toEqual(missing);
  });

  it('has its faults where its author has written it', () => {
    const steps = [{ type: 'tool', ref: 'echo', params: {} }];
    const paths = (input: object, step: object = {}): unknown =>
      (errorsOf({ context: { memory: MEMORY }, input: { ...input, steps: [{ ...steps[0], ...step }] } }) as { path: string }[]).map(({ path }) => path);
    expect(paths({}, { type: 'foo', when: 'input.' })).toEqual(['input.steps.0.type']);
    expect(paths({}, { when: 'input.' })).toEqual(['input.steps.0.when']);
    expect(paths({ options: { maxSteps: -1 }, registryFiles: 3 })).toEqual(['input.options.maxSteps', 'input.registryFiles']);
  });
});

describe('an envelope that does not fit', () => {
  it('lists what is wrong by path, and at most fifty things', { tags: ['PE-43'] }, () => {
    const steps = [{ type: 'foo', ref: '', params: [], extra: 1, zeta: 2 }];
    expect(errorsOf(execution(steps))).toEqual([
      { path: 'payload.steps.0.extra', keyword: 'unrecognized_keys', message: 'is not a field of this contract' },
      { path: 'payload.steps.0.params', keyword: 'invalid_type', message: 'must be an object' },
      { path: 'payload.steps.0.ref', keyword: 'invalid_format', message: 'has the wrong form' },
      { path: 'payload.steps.0.type', keyword: 'invalid_value', message: 'must be one of tool, capability, usecase' },
      { path: 'payload.steps.0.zeta', keyword: 'unrecognized_keys', message: 'is not a field of this contract' },
    ]);
    const many = errorsOf(execution(Array.from({ length: 99 }, () => ({ type: 'tool', ref: 'echo' })))) as { path: string }[];
    expect(many).toHaveLength(50);
    expect(many[1]?.path).toBe('payload.steps.1.params');
    expect(many[2]?.path).toBe('payload.steps.10.params');
  });

  it.each([
    ['an unknown type of step', { type: 'foo', ref: 'echo', params: {} }],
    ['a use case without a name', { type: 'usecase', params: {} }],
    ['a step without parameters', { type: 'tool', ref: 'echo' }],
    ['an unknown error mode', say({}, { on_error: { mode: 'retry' } })],
    ['a fallback mode without a fallback', say({}, { on_error: { mode: 'fallback' } })],
    ['a fallback with policies of its own', say({}, { on_error: { mode: 'fallback', fallback: say({}, { on_error: { mode: 'continue' } }) } })],
    ['a retry count', say({}, { retry: 3 })],
    ['a timeout', say({}, { timeout: 3 })],
    ['steps that are text', 'json'],
  ])('refuses %s before anything runs', { tags: ['PE-11', 'PE-37', 'PE-43', 'PE-53'] }, (_what, step) => {
    expect(play(step === 'json' ? { header: HEADER, payload: { steps: '[]' } } : execution([step as JsonObject]))).toMatchObject({
      code: 'INVALID_CONTRACT',
      calls: [],
      results: [],
    });
  });

  it.each([
    ['a list of what a loader sends, with session_id null', { header: HEADER, payload: { registryFiles: FILES, memory: { session_id: null, state: {} } } }],
    ['an empty list of steps', { header: HEADER, payload: { steps: [] } }],
    ['an unknown field of the payload', { header: HEADER, payload: { steps: [say()], extra: 1 } }],
    ['an unknown field of the envelope', { ...execution([say()]), extra: 1 }],
    ['too many steps allowed', execution([say()], { options: { maxSteps: 1001 } })],
    ['too much depth allowed', execution([say()], { options: { maxDepth: 33 } })],
    ['no steps allowed', execution([say()], { options: { maxSteps: 0 } })],
    ['a legacy envelope with an unknown field', legacyWith({ extra: 1 })],
    ['a legacy envelope with an error that is text', legacyWith({ error: 'x' })],
    ['a legacy envelope with output that is a list', legacyWith({ output: [] })],
    ['a legacy envelope without memory', legacyWith({ context: {} })],
    ['a legacy envelope with memory of the wrong form', legacy({}, { memory: { session_id: '' } })],
    ['a legacy envelope with steps that do not fit', legacy({ steps: [{ type: 'tool', ref: 'echo' }] })],
    ['a legacy envelope that allows too many steps', legacy({ options: { maxSteps: 1001 } })],
    ['a list where definitions belong', { header: HEADER, payload: { steps: [say()], registryFiles: [{ category: 'tools', ref: 'tools', content: [] }] } }],
  ])('refuses %s', { tags: ['PE-54', 'PE-58'] }, (_what, envelope) => {
    expect(play(envelope)).toMatchObject({ code: 'INVALID_CONTRACT', calls: [], results: [] });
  });

  it('gives the memory back that came in, if it is one', () => {
    const memoryOf = (envelope: unknown): unknown => (play(envelope).done.envelope['output'] as JsonObject)['memory'];
    expect(memoryOf({ header: HEADER, payload: { memory: MEMORY } })).toEqual(MEMORY);
    expect(memoryOf({ context: { memory: MEMORY }, extra: 1 })).toEqual(MEMORY);
    expect(memoryOf({ header: HEADER, payload: { memory: { session_id: '' } } })).toEqual({ session_id: 'run-1', state: {}, stack: [] });
  });

  it('may not use the name that for_each needs in memory', () => {
    expect(errorsOf(execution([say()], { state: { _locals: {} } }))).toEqual([
      { path: 'memory.state._locals', keyword: 'reserved', message: 'is a reserved name' },
    ]);
  });

  it('has two runs of the same header and content end the same', { tags: ['PE-42', 'PE-49'] }, () => {
    const envelope = execution([say({ x: 1 }, { save: { to: { n: '$.data.n' } } })]);
    const first = play(envelope, () => ok({ n: 1 }));
    expect(play(envelope, () => ok({ n: 1 })).done).toEqual(first.done);
  });
});
