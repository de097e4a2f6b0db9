import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import { type DefinitionLookup, describePlan, linkPlan } from '../../../../src/executors/plan/index.ts';
import { cap, capability, deepFreeze, ECHO, execution, files, HEADER, pathsOf, play, say, tool, usecase } from '../../../support/plan-core.ts';

const nobody: DefinitionLookup = () => undefined;
const host =
  (...definitions: readonly JsonObject[]): DefinitionLookup =>
  (category, ref) =>
    definitions.find((definition) => definition['id'] === ref && category === ('actions' in definition ? 'tools' : 'capabilities'));

function linked(envelope: unknown, lookup: DefinitionLookup = nobody): { envelope: JsonObject; planSha256: string; payload: JsonObject } {
  const result = linkPlan(deepFreeze(envelope), lookup);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return { ...result, payload: result.envelope['payload'] as JsonObject };
}

describe('linkPlan', () => {
  it('keeps exactly the definitions that can be reached, one file each, by category and ref in code point order', () => {
    const catalog = {
      tools: [ECHO, tool('\uFF5E', { say: [] }), tool('\u{1F600}', { say: [] }), tool('never', { say: [] })],
      capabilities: [capability('b', [say()]), capability('a', [cap('b')]), capability('unused', [say()])],
      usecases: [usecase('u', [cap('a')])],
    };
    const steps = [
      say({}, { ref: '\u{1F600}' }),
      say({}, { ref: '\uFF5E', on_error: { mode: 'fallback', fallback: cap('b') } }),
      { type: 'usecase', ref: 'u', params: {} },
    ];
    const { payload } = linked(execution(steps, { catalog }));
    const kept = payload['registryFiles'] as JsonObject[];
    expect(kept.map(({ category, ref }) => [category, ref])).toEqual([
      ['capabilities', 'a'],
      ['capabilities', 'b'],
      ['tools', 'echo'],
      ['tools', '\uFF5E'],
      ['tools', '\u{1F600}'],
      ['usecases', 'u'],
    ]);
    expect(kept[0]?.['content']).toEqual(catalog.capabilities[1]);
  });

  it('is the SHA-256 of the canonical form, known before anything runs', () => {
    const bare = {
      header: { ...HEADER, trace_id: 'é' },
      payload: { steps: [{ type: 'tool', ref: 'e', operation: 'o', params: { b: 1, a: [1.0, 1e21 / 1e21] } }], memory: { session_id: 's', state: {} } },
    };
    const definition = tool('e', { o: ['a', 'b'] });
    const { envelope, planSha256 } = linked(bare, host(definition));
    const text =
      '{"header":{"destination":"executor","id":"run-1","source":"test","timestamp":"2026-01-01T00:00:00Z","trace_id":"é","type":"execution","version":"1.0"},' +
      '"payload":{"memory":{"session_id":"s","state":{}},"registryFiles":[{"category":"tools","content":{"actions":[{"input":["a","b"],"name":"o"}],"categories":["test"],"id":"e","version":"1.0.0"},"ref":"e"}],' +
      '"steps":[{"operation":"o","params":{"a":[1,1],"b":1},"ref":"e","type":"tool"}]}}';
    expect(planSha256).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    // The same text through Python's hashlib.
    expect(planSha256).toBe('ad36020043f28600a61c476b9856ed56d8b0b2030b61de66a1ebe0b7736967e8');
    expect(JSON.parse(text)).toEqual(envelope);
  });

  it('changes nothing in what is linked already', () => {
    const first = linked(
      execution([cap('c'), say()], {
        catalog: { capabilities: [capability('c', [say()])] },
        options: { debug: true, fallbackRegistry: { tools: { more: ECHO } } },
      }),
    );
    expect(linked(first.envelope)).toEqual(first);
    expect(linked(first.envelope, host(ECHO))).toEqual(first);
    expect((first.payload['options'] as JsonObject)['fallbackRegistry']).toBeUndefined();
    expect(first.payload['options']).toEqual({ debug: true });
  });

  it('gives the same plan for every form that brings the same definitions', () => {
    const steps = [say({ x: 1 })];
    const memory = { session_id: 's', state: {} };
    const forms: JsonObject[] = [
      { header: HEADER, payload: { steps, memory, registryFiles: files({ tools: [ECHO] }) } },
      {
        header: HEADER,
        payload: { steps, memory, registryFiles: [{ category: 'tools', ref: 'tools', content: { echo: { ...ECHO, path: 'config/tools/echo.tool.json' } } }] },
      },
      { header: HEADER, payload: { steps, memory, fallbackRegistry: { tools: { tools: [ECHO] } } } },
      { header: HEADER, payload: { steps, memory } },
      { payload: { memory: { state: {}, session_id: 's' }, steps: [{ params: { x: 1 }, operation: 'say', ref: 'echo', type: 'tool' }] }, header: HEADER },
    ];
    const hashes = forms.map((form) => linked(form, host(ECHO)).planSha256);
    expect(new Set(hashes).size).toBe(1);
  });

  it('makes a legacy envelope an execution envelope with the generated header, which runs as the legacy one does', () => {
    const legacy = {
      context: { memory: { session_id: 's', state: {} }, who: 'me' },
      input: { steps: [say({ x: '{{context.who}}' })], options: { interpolate: 'all' }, event: 1 },
    };
    const { envelope, payload } = linked(legacy, host(ECHO));
    expect(payload).toMatchObject({ options: { interpolate: 'all', context: { who: 'me' }, input: { event: 1 } }, memory: { session_id: 's' } });
    const direct = play({ ...legacy, input: { ...legacy.input, registryFiles: files({ tools: [ECHO] }) } });
    expect(play(envelope).calls[0]?.toolInput.params).toEqual({ x: 'me' });
    expect(direct.calls[0]?.toolInput.params).toEqual({ x: 'me' });
    expect(play(envelope).done.envelope['header']).toEqual(envelope['header']);
  });

  it('lets the definitions of the envelope win, and the host fill holes, below the fallback registry', () => {
    const steps = [say({}, { operation: 'mine' })];
    const mine = tool('echo', { mine: [] });
    expect(linked({ header: HEADER, payload: { steps, fallbackRegistry: { tools: { echo: mine } } } }).payload['registryFiles']).toEqual(
      files({ tools: [mine] }),
    );
    expect(linked({ header: HEADER, payload: { steps } }, host(mine)).payload['registryFiles']).toEqual(files({ tools: [mine] }));
  });

  it('refuses a definition that differs from the host of the same name, if it can be reached', () => {
    const mine = { ...ECHO, version: '9' };
    for (const payload of [{ registryFiles: files({ tools: [mine] }) }, { fallbackRegistry: { tools: { echo: mine } } }]) {
      expect(linkPlan({ header: HEADER, payload: { steps: [say()], ...payload } }, host(ECHO))).toEqual({
        ok: false,
        code: 'REGISTRY_CONFLICT',
        message: 'two definitions of the same name differ',
        details: { category: 'tools', ref: 'echo' },
      });
    }
    const reordered = JSON.parse(JSON.stringify(ECHO, Object.keys(ECHO).toReversed().concat(['name', 'input']))) as JsonObject;
    expect(linkPlan(execution([say()]), host({ ...reordered, path: 'x' })).ok).toBe(true);
    const other = { header: HEADER, payload: { steps: [say()], registryFiles: files({ tools: [ECHO, { ...tool('unused', { a: [] }), version: '1' }] }) } };
    expect(linkPlan(other, host(ECHO, tool('unused', { b: [] }))).ok).toBe(true);
  });

  it('judges what the host has, too', () => {
    const broken: DefinitionLookup = () => ({ ...ECHO, url: 'x' });
    expect(linkPlan({ header: HEADER, payload: { steps: [say()] } }, broken)).toMatchObject({ ok: false, code: 'REGISTRY_INVALID' });
    expect(linkPlan({ header: HEADER, payload: { steps: [say()] } }, () => 'text')).toMatchObject({ ok: false, code: 'REGISTRY_INVALID' });
    expect(linkPlan({ header: HEADER, payload: { steps: [say()] } }, () => () => 1)).toMatchObject({ ok: false, code: 'REGISTRY_INVALID' });
  });

  it('says what is missing', () => {
    expect(linkPlan({ header: HEADER, payload: { steps: [say()] } }, nobody)).toMatchObject({ ok: false, code: 'REGISTRY_EMPTY', details: {} });
    expect(linkPlan({ header: HEADER, payload: { steps: [say(), say({}, { ref: 'gone' })] } }, host(ECHO))).toMatchObject({
      ok: false,
      code: 'UNKNOWN_REF',
      details: { type: 'tool', ref: 'gone' },
    });
  });

  it('says where the name stands that nobody has', () => {
    const refs = (category: string): string[] => (category === 'tools' ? ['echo', 'writ.file'] : []);
    const other = say({}, { ref: 'writ.fiel' });
    const of = (...steps: JsonObject[]) => linkPlan({ header: HEADER, payload: { steps } }, nobody, refs);
    expect(of(other)).toMatchObject({
      ok: false,
      code: 'UNKNOWN_REF',
      details: { type: 'tool', ref: 'writ.fiel', at: 'payload.steps.0.ref' },
    });
    expect(linkPlan({ header: HEADER, payload: { steps: [other] } }, nobody, () => [])).toMatchObject({ code: 'REGISTRY_EMPTY' });
    const at = (step: JsonObject): unknown => {
      const said = linkPlan(execution([say(), step], { catalog: { tools: [ECHO], capabilities: [capability('group', [say(), other])] } }), nobody);
      return said.ok || said.details['at'];
    };
    expect(at(cap('group'))).toBe('capabilities/group.steps.1.ref');
    expect(at(say({}, { on_error: { mode: 'fallback', fallback: other } }))).toBe('payload.steps.1.on_error.fallback.ref');
    expect(at(say({}, { on_error: { mode: 'stop', by_code: { X: { mode: 'fallback', fallback: other } } } }))).toBe(
      'payload.steps.1.on_error.by_code.X.fallback.ref',
    );
  });

  it('refuses a plan that its definitions make too large', () => {
    const large = (id: string): JsonObject => ({ ...tool(id, { say: [] }), description: 'x'.repeat(1_000_000) });
    const steps = Array.from({ length: 5 }, (_, index) => ({ type: 'tool', ref: `t${index}`, operation: 'say', params: {} }));
    expect(linkPlan({ header: HEADER, payload: { steps } }, (_category, ref) => large(ref))).toMatchObject({
      ok: false,
      code: 'INVALID_CONTRACT',
      details: { errors: [{ keyword: 'size' }] },
    });
  });
});

describe('describePlan', () => {
  const capabilities = [capability('c', [say({ action: 'other' }), { type: 'tool', ref: 'echo', params: { action: '{{input.a}}' } }])];
  const steps = [
    say({ x: 1 }, { when: 'true', save: { to: { a: '$.data' } } }),
    cap('c', { a: 'say' }, { for_each: { list: 'memory.state.x' }, on_error: { mode: 'fallback', fallback: say({ x: 2 }) } }),
    { type: 'usecase', ref: 'u', params: {}, on_error: { mode: 'continue' } },
    { type: 'tool', ref: 'echo', params: { action: '{{raw}}' } },
  ];
  const envelope = execution(steps, { catalog: { capabilities, usecases: [usecase('u', [cap('c', { a: '1' })])] } });

  it('lists every step that can be reached, groups before what is in them', () => {
    const plan = describePlan(linked(envelope).envelope);
    if (!plan.ok) throw new Error(plan.code);
    expect(plan.truncated).toBe(false);
    expect(plan.steps.map(({ path, type, ref, operation, depth }) => [path, type, ref, operation, depth])).toEqual([
      ['0', 'tool', 'echo', 'say', 0],
      ['1#*', 'capability', 'c', undefined, 0],
      ['1#*/cap.c/0', 'tool', 'echo', 'say', 1],
      ['1#*/cap.c/1', 'tool', 'echo', undefined, 1],
      ['1#*!fb', 'tool', 'echo', 'say', 0],
      ['1!fb', 'tool', 'echo', 'say', 0],
      ['2', 'usecase', 'u', undefined, 0],
      ['2/uc.u/0', 'capability', 'c', undefined, 1],
      ['2/uc.u/0/cap.c/0', 'tool', 'echo', 'say', 2],
      ['2/uc.u/0/cap.c/1', 'tool', 'echo', undefined, 2],
      ['3', 'tool', 'echo', '{{raw}}', 0],
    ]);
    expect(plan.steps[0]).toEqual({
      path: '0',
      type: 'tool',
      ref: 'echo',
      operation: 'say',
      params: { x: 1 },
      depth: 0,
      when: true,
      save: true,
      forEach: false,
      fallback: false,
      onError: 'stop',
      byCode: {},
      retries: 0,
      timeoutMs: undefined,
    });
    expect(plan.steps[1]).toMatchObject({ when: false, save: false, forEach: true, fallback: false, onError: 'fallback', params: { a: 'say' } });
    expect(plan.steps[4]).toMatchObject({ forEach: false, fallback: true, onError: 'stop', params: { x: 2 } });
    expect(plan.steps[6]).toMatchObject({ onError: 'continue' });
  });

  it('knows the paths that a run takes', () => {
    const described = describePlan(envelope);
    const known = new Set(described.ok ? described.steps.map(({ path }) => path) : []);
    const state = { x: [1, 2] };
    const played = play({ ...envelope, payload: { ...(envelope['payload'] as JsonObject), memory: { session_id: 's', state } } });
    for (const path of pathsOf(played)) expect(known).toContain(path.replaceAll(/#[0-9]+/g, '#*'));
  });

  it('takes an action for the operation, unless a template chooses it', () => {
    const operation = (params: JsonObject, options: JsonObject): unknown => {
      const plan = describePlan(execution([{ type: 'tool', ref: 'echo', params }], { options }));
      return plan.ok ? plan.steps[0]?.operation : plan.code;
    };
    expect(operation({ action: 'say' }, {})).toBe('say');
    expect(operation({ action: 'say', x: '{{input.x}}' }, { interpolate: 'all' })).toBe('say');
    expect(operation({ action: '{{input.x}}' }, { interpolate: 'all' })).toBeUndefined();
    expect(operation({}, {})).toBeUndefined();
    expect(operation({ action: 1 }, {})).toBeUndefined();
  });

  it('says which calls their tools do not have, as far as it is known before they run', () => {
    const wrong = (step: JsonObject, options: JsonObject = { interpolate: 'all' }): unknown => {
      const plan = describePlan(execution([step], { options }));
      return plan.ok ? plan.steps[0]?.wrong : plan.code;
    };
    const { operation: _say, ...unchosen } = say();
    expect(wrong(say({ x: 'a' }))).toBeUndefined();
    expect(wrong({ ...say(), operation: 'sya' })).toMatchObject({ code: 'UNKNOWN_OPERATION', names: ['sya'], known: expect.arrayContaining(['say']) });
    expect(wrong(say({ x: 'a', zzz: '{{input.a}}' }))).toMatchObject({ code: 'PARAMS_MISMATCH', names: ['zzz'], known: expect.arrayContaining(['x']) });
    expect(wrong({ ...unchosen, params: { zzz: 1 } })).toMatchObject({ code: 'INVALID_TOOL_DEF', names: [] });
    expect(wrong({ ...unchosen, params: { action: '{{input.a}}', zzz: 1 } })).toBeUndefined();
    expect(wrong({ ...unchosen, params: { action: '{{input.a}}' } }, {})).toMatchObject({ code: 'UNKNOWN_OPERATION', names: ['{{input.a}}'] });
  });

  it('says why it is no plan, and stops where nobody reads on', () => {
    expect(describePlan({})).toMatchObject({ ok: false, code: 'INVALID_CONTRACT', details: { errors: [{ path: 'context' }] } });
    expect(describePlan(execution([say({}, { ref: 'gone' })]))).toMatchObject({
      ok: false,
      code: 'UNKNOWN_REF',
      message: 'a step names a definition that does not exist',
    });
    const wide = ['a', 'b', 'c'].map((id, index, all) =>
      capability(
        id,
        Array.from({ length: 40 }, () => (all[index + 1] === undefined ? say() : cap(all[index + 1] ?? ''))),
      ),
    );
    const plan = describePlan(execution([cap('a')], { catalog: { capabilities: wide } }));
    expect([plan.ok, plan.ok && plan.truncated, plan.ok && plan.steps.length]).toEqual([true, true, 10_000]);
    const exact = describePlan(execution(Array.from({ length: 10_000 }, () => say())));
    expect([exact.ok && exact.truncated, exact.ok && exact.steps.length]).toEqual([false, 10_000]);
  });
});
