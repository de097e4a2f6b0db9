import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { cap, capability, ECHO, execution, files, HEADER, ok, pathsOf, play, say, tool, usecase } from '../../../support/plan-core.ts';

const uc = (ref: string, more: JsonObject = {}): JsonObject => ({ type: 'usecase', ref, params: {}, ...more });
const withPayload = (payload: JsonObject): JsonObject => ({ header: HEADER, payload: { steps: [say()], ...payload } });
const OTHER_ECHO = { ...ECHO, version: '2.0.0' };

describe('definitions of an envelope', () => {
  it.each([
    ['one file each', { registryFiles: files({ tools: [ECHO] }) }],
    ['a map under the name of the category', { registryFiles: [{ category: 'tools', ref: 'tools', content: { echo: ECHO } }] }],
    ['a wrapped map', { registryFiles: [{ category: 'tools', ref: 'tools', content: { tools: { echo: ECHO } } }] }],
    ['a wrapped list', { registryFiles: [{ category: 'tools', ref: 'tools', content: { tools: [ECHO] } }] }],
    ['a fallback registry in the options', { options: { fallbackRegistry: { tools: { echo: ECHO } } } }],
    ['a wrapped fallback registry', { options: { fallbackRegistry: { tools: { tools: { echo: ECHO } } } } }],
    ['a wrapped list in a fallback registry', { options: { fallbackRegistry: { tools: { tools: [ECHO] } } } }],
    ['a fallback registry of the payload', { fallbackRegistry: { tools: { echo: ECHO } } }],
    ['a compiled entry with a path', { registryFiles: files({ tools: [{ ...ECHO, path: 'config/tools/echo.tool.json' }] }) }],
    ['the same definition twice', { registryFiles: [...files({ tools: [ECHO] }), ...files({ tools: [{ ...ECHO, path: 'x' }] })] }],
  ])('are read from %s', { tags: ['PE-22', 'PE-23'] }, (_what, payload) => {
    expect(play(withPayload(payload)).code).toBeUndefined();
  });

  it('of the fallback registry only fill holes: files come first, then the options, then the payload', { tags: ['PE-23'] }, () => {
    const older = tool('echo', { older: [] });
    const oldest = tool('echo', { oldest: [] });
    const sourceOf = (payload: JsonObject): unknown => {
      const steps = [{ type: 'tool', ref: 'echo', operation: 'gone', params: {} }];
      const options = { ...(payload['options'] as JsonObject | undefined), debug: true };
      const { done } = play({ header: HEADER, payload: { ...payload, steps, options } });
      const { debug } = done.envelope['output'] as { debug: JsonObject };
      return (debug['registry'] as JsonObject)['sources'];
    };
    const fallback = { options: { fallbackRegistry: { tools: { echo: older } } }, fallbackRegistry: { tools: { echo: oldest } } };
    const operations = (payload: JsonObject, operation: string): boolean =>
      play({ header: HEADER, payload: { ...payload, steps: [{ type: 'tool', ref: 'echo', operation, params: {} }] } }).code === undefined;
    expect(operations({ registryFiles: files({ tools: [ECHO] }), ...fallback }, 'say')).toBe(true);
    expect(operations({ registryFiles: files({ tools: [ECHO] }), ...fallback }, 'older')).toBe(false);
    expect(operations(fallback, 'older')).toBe(true);
    expect(operations(fallback, 'oldest')).toBe(false);
    expect(operations({ fallbackRegistry: { tools: { echo: oldest } } }, 'oldest')).toBe(true);
    expect(sourceOf({ registryFiles: files({ tools: [ECHO] }), ...fallback })).toEqual({ 'tools/echo': 'files' });
    expect(sourceOf(fallback)).toEqual({ 'tools/echo': 'fallback' });
  });

  it('are all that a new tool needs: what it is called and what it takes', { tags: ['PE-24'] }, () => {
    const coffee = tool('coffee.machine', { brew: ['cups'] });
    const steps = [{ type: 'tool', ref: 'coffee.machine', params: { action: 'brew', cups: 2 } }];
    const { calls } = play(execution(steps, { catalog: { tools: [coffee] } }));
    expect(calls[0]?.toolInput.tool).toEqual({ ref: 'coffee.machine', provider: 'coffee.machine', operation: 'brew' });
  });

  it('that are missing altogether are REGISTRY_EMPTY, before any effect', { tags: ['PE-22'] }, () => {
    for (const payload of [{}, { registryFiles: [] }, { options: { fallbackRegistry: {} } }, { fallbackRegistry: { tools: {} } }]) {
      expect(play(withPayload(payload))).toMatchObject({
        code: 'REGISTRY_EMPTY',
        calls: [],
        results: [],
        done: { error: { message: 'the envelope brings no definitions' } },
      });
    }
  });

  it('a name that nobody defines is UNKNOWN_REF, even in a step that would be skipped', () => {
    for (const step of [
      say({}, { ref: 'gone' }),
      say({}, { ref: 'gone', when: 'false' }),
      say({}, { on_error: { mode: 'fallback', fallback: { type: 'tool', ref: 'gone' } } }),
    ]) {
      expect(play(execution([say(), step]))).toMatchObject({ code: 'UNKNOWN_REF', calls: [], error: { details: { type: 'tool', ref: 'gone' } } });
    }
    expect(play(execution([uc('echo')]))).toMatchObject({ code: 'UNKNOWN_REF', error: { details: { type: 'usecase', ref: 'echo' } } });
    expect(play(execution([say({}, { ref: 'toString' })])).code).toBe('UNKNOWN_REF');
    expect(play(execution([say({}, { on_error: { mode: 'continue', fallback: { type: 'tool', ref: 'gone' } } })])).code).toBeUndefined();
  });

  it('that differ under one name are REGISTRY_CONFLICT', () => {
    const registryFiles = [...files({ tools: [ECHO] }), ...files({ tools: [OTHER_ECHO] })];
    expect(play(withPayload({ registryFiles }))).toMatchObject({ code: 'REGISTRY_CONFLICT', error: { details: { category: 'tools', ref: 'echo' } } });
    expect(play(withPayload({ registryFiles: [...files({ tools: [ECHO] }), { category: 'tools', ref: 'tools', content: { echo: OTHER_ECHO } }] })).code).toBe(
      'REGISTRY_CONFLICT',
    );
  });

  it.each([
    ['a field too much', { ...ECHO, url: 'http://127.0.0.1' }, { path: 'url', keyword: 'unrecognized_keys' }],
    ['an action that is text', { ...ECHO, actions: ['say'] }, { path: 'actions.0', keyword: 'invalid_type' }],
    ['no actions', { ...ECHO, actions: [] }, { path: 'actions', keyword: 'too_small' }],
    ['another id', { ...ECHO, id: 'other' }, { path: 'id', keyword: 'ref' }],
  ])('with %s are REGISTRY_INVALID when they are reached', (_what, content, problem) => {
    const registryFiles = [{ category: 'tools', ref: 'echo', content }];
    expect(play(withPayload({ registryFiles }))).toMatchObject({
      code: 'REGISTRY_INVALID',
      calls: [],
      error: { details: { category: 'tools', ref: 'echo', errors: [problem] } },
    });
    const unreached = [...files({ tools: [ECHO] }), { category: 'tools', ref: 'broken', content }];
    expect(play(withPayload({ registryFiles: unreached })).code).toBeUndefined();
  });

  it('that are no objects, or too large, or called like their category, are REGISTRY_INVALID', () => {
    expect(play(withPayload({ registryFiles: [{ category: 'tools', ref: 'tools', content: { echo: 1 } }] }))).toMatchObject({
      code: 'REGISTRY_INVALID',
      error: { details: { errors: [{ path: '', keyword: 'invalid_type', message: 'is no object' }] } },
    });
    const large = { ...ECHO, description: 'x'.repeat(1024 * 1024) };
    expect(play(withPayload({ registryFiles: files({ tools: [large] }) }))).toMatchObject({
      code: 'REGISTRY_INVALID',
      error: { details: { errors: [{ path: 'description', keyword: 'size' }] } },
    });
    const named = { ...ECHO, id: 'tools' };
    const steps = [{ type: 'tool', ref: 'tools', operation: 'say', params: {} }];
    expect(play({ header: HEADER, payload: { steps, options: { fallbackRegistry: { tools: { tools: named, more: ECHO } } } } })).toMatchObject({
      code: 'REGISTRY_INVALID',
      error: { details: { errors: [{ path: 'id', keyword: 'ref' }] } },
    });
  });

  it('of bodies are checked by the contract of their kind', () => {
    const invalid = { ...capability('c', [say()]), inputs: undefined };
    expect(play(execution([cap('c')], { catalog: { capabilities: [JSON.parse(JSON.stringify(invalid)) as JsonObject] } })).code).toBe('REGISTRY_INVALID');
    expect(play(execution([uc('u')], { catalog: { usecases: [usecase('u', [say()])] } })).code).toBeUndefined();
    expect(play(execution([uc('u')], { catalog: { usecases: [{ ...usecase('u', []) }] } })).code).toBe('REGISTRY_INVALID');
  });
});

describe('groups', () => {
  const capabilities = [capability('c', [say({ x: '{{input.v}}' }), say({ x: 'fix' })])];
  const usecases = [usecase('u', [cap('c', { v: '{{input.w}}' }), say({ x: 'end' })])];

  it('are expanded where they stand: tools, capabilities and use cases', { tags: ['PE-08', 'PE-09', 'PE-10', 'PE-35'] }, () => {
    const played = play(execution([say({ x: 1 }), uc('u', { params: { w: 'deep' } }), say({ x: 2 })], { catalog: { capabilities, usecases } }));
    expect(pathsOf(played)).toEqual(['0', '1/uc.u/0/cap.c/0', '1/uc.u/0/cap.c/1', '1/uc.u/1', '2']);
    expect(played.calls.map(({ toolInput }) => [toolInput.stepId, toolInput.params['x']])).toEqual([
      ['0-echo', 1],
      ['1-echo', 'deep'],
      ['2-echo', 'fix'],
      ['3-echo', 'end'],
      ['4-echo', 2],
    ]);
    expect(played.results.map((entry) => entry['stepId'])).toEqual(['0-echo', '1-echo', '2-echo', '3-echo', '4-echo']);
  });

  it('see only their own parameters as input', () => {
    const inner = capability('inner', [say({ x: '{{input.secret}}' })]);
    const outer = capability('outer', [cap('inner', { v: 1 })]);
    expect(play(execution([cap('outer', { secret: 1 })], { catalog: { capabilities: [inner, outer] } })).code).toBe('UNRESOLVED_REFERENCE');
    expect(play(execution([cap('inner')], { catalog: { capabilities: [inner] }, options: { input: { secret: 1 } } })).code).toBe('UNRESOLVED_REFERENCE');
  });

  it('are skipped as a whole when their condition is false, and count for nothing', () => {
    const played = play(
      execution([cap('c', { v: 1 }, { when: 'false', save: { to: { x: '$.data' } } }), say({ x: 1 })], { catalog: { capabilities }, options: { debug: true } }),
    );
    expect(played.calls.map(({ toolInput }) => toolInput.stepId)).toEqual(['0-echo']);
    expect(played.results).toHaveLength(1);
    expect(played.done.envelope['output']).toMatchObject({
      trace: [
        { stepId: '0-c', path: '0', ref: 'c', skipped: true },
        { stepId: '0-echo', path: '1', ok: true },
      ],
    });
  });

  it('that contain each other are EXPANSION_CYCLE, before any effect', () => {
    const loop = [capability('a', [say(), cap('b')]), capability('b', [cap('a')])];
    expect(play(execution([say(), cap('a')], { catalog: { capabilities: loop } }))).toMatchObject({
      code: 'EXPANSION_CYCLE',
      calls: [],
      error: { details: { cycle: ['capabilities/a', 'capabilities/b', 'capabilities/a'] } },
    });
    const own = [capability('a', [say({}, { on_error: { mode: 'fallback', fallback: cap('a') } })])];
    expect(play(execution([cap('a')], { catalog: { capabilities: own } }))).toMatchObject({
      code: 'EXPANSION_CYCLE',
      error: { details: { cycle: ['capabilities/a', 'capabilities/a'] } },
    });
    const entry = [usecase('x', [cap('a')])];
    expect(play(execution([uc('x')], { catalog: { capabilities: loop, usecases: entry } })).error).toMatchObject({
      details: { cycle: ['capabilities/a', 'capabilities/b', 'capabilities/a'] },
    });
    const sameName = [usecase('c', [cap('c')])];
    expect(play(execution([uc('c')], { catalog: { capabilities: [capability('c', [say()])], usecases: sameName } })).code).toBeUndefined();
  });

  it('may be nested five deep, or as deep as the options say; siblings do not add', () => {
    const chain = (depth: number): JsonObject[] =>
      Array.from({ length: depth }, (_, index) => capability(`c${index}`, [index + 1 === depth ? say() : cap(`c${index + 1}`)]));
    const run = (depth: number, options: JsonObject = {}): unknown => play(execution([cap('c0')], { catalog: { capabilities: chain(depth) }, options })).code;
    expect([run(5), run(6), run(6, { maxDepth: 6 }), run(32, { maxDepth: 32 }), run(33, { maxDepth: 32 }), run(2, { maxDepth: 1 })]).toEqual([
      undefined,
      'MAX_DEPTH_EXCEEDED',
      undefined,
      undefined,
      'MAX_DEPTH_EXCEEDED',
      'MAX_DEPTH_EXCEEDED',
    ]);
    const siblings = Array.from({ length: 7 }, () => cap('c0'));
    expect(play(execution(siblings, { catalog: { capabilities: chain(1) } })).code).toBeUndefined();
    const fallback = say({}, { on_error: { mode: 'fallback', fallback: cap('c0') } });
    expect(play(execution([fallback], { catalog: { capabilities: chain(6) } }))).toMatchObject({
      code: 'MAX_DEPTH_EXCEEDED',
      error: { details: { limit: 5 } },
    });
  });

  it('expressions in them are read before anything runs, also where a step would be skipped', () => {
    const broken: readonly JsonObject[] = [
      say({}, { when: 'memory.' }),
      say({ x: '{{nothing' }),
      say({ x: '{{other.x}}' }),
      say({ x: [{ y: 'a {{input.x}} {{ b' }] }),
      say({}, { save: { to: { x: 'data' } } }),
      say({}, { when: { any: [{ not: { path: 'other.x', eq: 1 } }] } }),
      say({}, { for_each: { list: 'list' } }),
      say({}, { on_error: { mode: 'fallback', fallback: say({ x: '{{}}' }) } }),
    ];
    const fields = ['when', 'params.x', 'params.x', 'params.x.0.y', 'save.to.x', 'when.any.0.not.path', 'for_each.list', 'on_error.fallback.params.x'];
    for (const [index, step] of broken.entries()) {
      const { code, error, calls } = play(execution([say(), cap('c', {}, { when: 'false' })], { catalog: { capabilities: [capability('c', [say(), step])] } }));
      expect([code, calls.length]).toEqual(['INVALID_CONTRACT', 0]);
      expect(error).toMatchObject({
        details: {
          errors: [{ path: `capabilities/c.steps.1.${fields[index]}`, keyword: 'syntax', message: expect.stringContaining('is no expression of its kind') }],
        },
      });
    }
  });

  it('the same definition may be reached twice', () => {
    const twice = play(execution([cap('c', { v: 1 }), cap('c', { v: 2 })], { catalog: { capabilities } }), () => ok());
    expect(pathsOf(twice)).toEqual(['0/cap.c/0', '0/cap.c/1', '1/cap.c/0', '1/cap.c/1']);
  });
});
