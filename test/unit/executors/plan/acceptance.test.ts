import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanCall } from '../../../../src/core/ports/plan.ts';
import { call, execution, TOOLS, to, uc, WRIT } from '../../../support/plan-acceptance.ts';
import { bad, cap, capability, files, HEADER, ok, paramsOf, pathsOf, play, usecase } from '../../../support/plan-core.ts';

describe('A1: one step of the envelope', () => {
  const step = { type: 'tool', ref: 'slack', params: { action: 'message.send', channel: '#ops', text: 'hello' } };

  it.each([
    ['files', {}, [{ category: 'tools', ref: 'tools', content: { slack: TOOLS.slack } }]],
    ['fallback', { options: { fallbackRegistry: { tools: { slack: TOOLS.slack } } } }, []],
    ['shape (a)', {}, files({ tools: [TOOLS.slack] })],
  ])('runs with the catalog as %s, by what the contracts say alone', { tags: ['PE-08', 'PE-21', 'PE-26', 'PE-60'] }, (_what, more, registryFiles) => {
    const { done, calls, results } = play(execution([step], more, registryFiles as JsonObject[]));
    expect(calls[0]?.toolInput).toMatchObject({
      stepId: '0-slack',
      tool: { ref: 'slack', provider: 'slack', operation: 'message.send' },
      params: step.params,
      context: { memory: { session_id: 'sess_0001' } },
    });
    expect(results).toMatchObject([{ stepId: '0-slack', ok: true }]);
    expect(done).toMatchObject({ error: null, envelope: { header: HEADER } });
  });
});

describe('A2: a legacy envelope without any registry', () => {
  it('ends in REGISTRY_EMPTY with a generated header and no results', { tags: ['PE-05', 'PE-27'] }, () => {
    const legacy = {
      context: { memory: { session_id: 'sess_0001', state: { k: 1 } } },
      input: { steps: [{ type: 'tool', ref: 'slack', params: { channel: '#ops', text: 'x' } }] },
    };
    const { code, results, calls, done } = play(legacy);
    expect([code, results, calls]).toEqual(['REGISTRY_EMPTY', [], []]);
    expect(done.envelope).toMatchObject({
      header: { id: expect.stringMatching(/^env-[0-9a-f]{32}$/) as string, destination: 'executor' },
      output: { memory: { session_id: 'sess_0001', state: { k: 1 } } },
    });
  });
});

describe('A3: incident.case.manage', () => {
  it('classifies, summarizes and notifies with what was saved', { tags: ['PE-09', 'PE-10', 'PE-12'] }, () => {
    const incident = usecase('incident.case.manage', [
      cap('email.message.classify', { labels: ['incident', 'other'] }),
      cap('content.text.summarize', { text: '{{memory.state.email.body}}' }),
      cap('notification.message.send', { text: 'New {{memory.state.email.category}}: {{memory.state.content.summary}}' }),
    ]);
    const memory = { session_id: 'sess_0001', state: { email: { subject: 'Down', body: 'The site is down' } } };
    const answers = [ok({ classification: 'incident' }), ok({ summary: 'site down' }), ok({ message_id: 'm-1' })];
    const played = play(
      execution([uc('incident.case.manage')], {
        memory,
        options: { context: { slack: { channel: '#incidents' } } },
        usecases: files({ usecases: [incident] }),
      }),
      (_call, index) => answers[index],
    );
    expect(played.results.map(({ stepId, ok: fine }) => [stepId, fine])).toEqual([
      ['0-openai', true],
      ['1-openai', true],
      ['2-slack', true],
    ]);
    expect(played.state).toEqual({
      email: { ...memory.state.email, category: 'incident' },
      content: { summary: 'site down' },
      notification: { message_id: 'm-1' },
    });
    expect(paramsOf(played)).toEqual([
      { labels: ['incident', 'other'], text: 'Down: The site is down' },
      { text: 'The site is down' },
      { channel: '#incidents', text: 'New incident: site down' },
    ]);
    expect(played.code).toBeUndefined();
  });
});

describe('A4: client.onboarding.run', () => {
  it('nests three deep, binds input of every level and keeps values that are objects', () => {
    const sync = usecase('crm.client.sync', [
      call('axonaut', 'company.update', { id: '{{memory.state.client.company.id}}', fields: '{{input.fields}}' }, to({ 'crm.company': '$.data.id' })),
      call(
        'axonaut',
        'contact.create',
        { email: '{{memory.state.client.contact.email}}', name: '{{memory.state.client.contact.name}}' },
        to({ 'crm.contact': '$.data.id' }),
      ),
      call(
        'monday',
        'boardItem.create',
        { boardId: '{{context.monday.board}}', itemName: '{{memory.state.client.contact.name}}' },
        to({ 'monday.item': '$.data.id' }),
      ),
    ]);
    const files3 = usecase('document.file.generate', [
      call('openai', 'text.generateModelResponse', { schema: '{{input.schema}}', text: '{{input.brief}}' }, to({ generated: '$.data.response' })),
      cap('document.file.create', { title: 'Brief of {{memory.state.client.contact.name}}' }),
      call('google-docs', 'document.update', { documentId: '{{memory.state.document.id}}', text: '{{memory.state.generated.text}}' }),
    ]);
    const onboarding = usecase('client.onboarding.run', [
      uc('document.file.generate', { brief: '{{input.brief}}', schema: '{{input.schema}}' }),
      uc('crm.client.sync', { fields: '{{memory.state.generated}}' }),
      cap('content.text.summarize', { text: '{{input.brief}}' }),
      cap('notification.message.send', { text: '{{memory.state.content.summary}}' }),
    ]);
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const generated = { text: 'A plan', sections: [1, { two: null }] };
    const answerOf = ({ toolInput: { tool: called } }: PlanCall): JsonObject =>
      ok({ response: generated, id: `${called.ref}-1`, summary: 'short', message_id: 'm' });
    const played = play(
      execution([uc('client.onboarding.run', { brief: 'B', schema })], {
        memory: { session_id: 'sess_0001', state: { client: { company: { id: 7 }, contact: { email: 'a@b.c', name: 'Ann' } } } },
        options: { context: { docs: { folder: 'F' }, monday: { board: 9 }, slack: { channel: '#sales' } }, debug: true },
        usecases: files({ usecases: [sync, files3, onboarding] }),
      }),
      answerOf,
    );
    expect(played.results).toHaveLength(8);
    expect(played.done.envelope).toMatchObject({ output: { debug: { maxDepthReached: 3, stepCount: 8 } }, error: null });
    expect(pathsOf(played)[1]).toBe('0/uc.client.onboarding.run/0/uc.document.file.generate/1/cap.document.file.create/0');
    expect(paramsOf(played)[0]).toEqual({ schema, text: 'B' });
    expect(paramsOf(played)[3]).toEqual({ id: 7, fields: generated });
    expect(paramsOf(played)[5]).toEqual({ boardId: 9, itemName: 'Ann' });
  });
});

describe('A5: a training convention', () => {
  const items = (name: string): JsonObject =>
    call('monday', 'items.get', { itemId: 1 }, to({ [`${name}.a`]: '$.data.a', [`${name}.b`]: '$.data.b', siret: '$.data.siret' }));
  const convention = usecase('document.convention.generate', [
    items('one'),
    items('two'),
    items('three'),
    call('slack', 'message.send', { channel: '#c', text: 'siret missing' }, { when: { path: 'memory.state.siret', eq: '' }, on_error: { mode: 'continue' } }),
    call('google-drive', 'file.upload', { name: 'c.pdf', folderId: 'F' }, { when: "memory.state.siret != ''", ...to({ 'document.id': '$.data.id' }) }),
  ]);

  it.each([
    ['', ['monday', 'monday', 'monday', 'slack']],
    ['123', ['monday', 'monday', 'monday', 'google-drive']],
  ])('with siret %j takes the branch for it', { tags: ['PE-13'] }, (siret, called) => {
    const { calls, state, code } = play(execution([uc('document.convention.generate')], { usecases: files({ usecases: [convention] }) }), () =>
      ok({ a: 1, b: 2, siret, id: 'D' }),
    );
    expect(calls.map(({ toolInput }) => toolInput.tool.ref)).toEqual(called);
    expect(state).toMatchObject({ one: { a: 1, b: 2 }, two: { a: 1 }, three: { b: 2 }, siret });
    expect([code, 'document' in state]).toEqual([undefined, siret !== '']);
  });
});

describe('A6: the output of a planner that asks a person', () => {
  it('is just run; nothing is decided here', { tags: ['PE-02', 'PE-38', 'PE-43'] }, () => {
    const asked = call('slack', 'message.send', { channel: '#ops', text: 'asked' }, to({ sent: '$.data.message_id' }));
    const steps = [cap('human.validation.request', { message: 'Which client?', destination: 'agent', reason: 'ambiguous' }), asked, asked];
    const played = play(execution(steps), () => ok({ message_id: 'm-7' }));
    expect(paramsOf(played)).toEqual([
      { channel: 'agent', text: 'Which client? (ambiguous)' },
      { channel: '#ops', text: 'asked' },
      { channel: '#ops', text: 'asked' },
    ]);
    expect(played).toMatchObject({ code: undefined, state: { validation: { id: 'm-7' }, sent: 'm-7' } });
  });
});

describe('A7: the output of a registry loader', () => {
  it('has nothing to execute', () => {
    const loaded = { header: HEADER, payload: { registryFiles: files({ tools: Object.values(TOOLS) }), memory: { session_id: null, state: {} } } };
    expect(play(loaded)).toMatchObject({ code: 'INVALID_CONTRACT', results: [] });
  });
});

describe('A8: find, copy, delete with a way out', () => {
  const archive = usecase('archive', [
    call('writ.search', 'SEARCH_FILES', { query: 'contract', target_scope: 'docs', max_results: 1 }, to({ n: '$.data.count', id: '$.data.results[0].id' })),
    call(
      'writ.file',
      'FILE_COPY',
      { source_path: '/docs/{{memory.state.id}}', destination_path: '/archive/{{memory.state.id}}' },
      { when: 'memory.state.n > 0' },
    ),
    call(
      'writ.file',
      'FILE_DELETE',
      { source_path: '/docs/{{memory.state.id}}', constraints: { reversible: true } },
      {
        when: 'memory.state.n > 0',
        on_error: {
          mode: 'fallback',
          fallback: call('writ.file', 'FILE_MOVE', { source_path: '/docs/{{memory.state.id}}', destination_path: '/quarantine/{{memory.state.id}}' }),
        },
      },
    ),
  ]);
  const envelope = execution([uc('archive')], {}, files({ tools: WRIT, usecases: [archive] }));
  const answer = ({ toolInput: { tool: called } }: PlanCall, deleted = true): JsonObject => {
    if (called.operation === 'SEARCH_FILES') return ok({ count: 1, results: [{ id: 'a/contract.pdf' }] });
    return called.operation === 'FILE_DELETE' && !deleted ? bad('EXECUTION_FAILED') : ok({ done: called.operation });
  };

  it('copies what was found, then deletes it reversibly', () => {
    const played = play(envelope, (one) => answer(one));
    expect(played.calls.map(({ toolInput }) => [toolInput.tool.operation, toolInput.params['source_path']])).toEqual([
      ['SEARCH_FILES', undefined],
      ['FILE_COPY', '/docs/a/contract.pdf'],
      ['FILE_DELETE', '/docs/a/contract.pdf'],
    ]);
    expect(paramsOf(played)[2]).toMatchObject({ constraints: { reversible: true } });
  });

  it('moves to quarantine what cannot be deleted, and does nothing where nothing was found', () => {
    expect(pathsOf(play(envelope, (one) => answer(one, false)))).toEqual(['0/uc.archive/0', '0/uc.archive/1', '0/uc.archive/2', '0/uc.archive/2!fb']);
    const empty = play(envelope, () => ok({ count: 0, results: [] }));
    expect([empty.code, empty.calls.length]).toEqual(['SAVE_PATH_NOT_FOUND', 1]);
  });
});

describe('A9: plans that cannot be right, and one that only looks so', () => {
  const slack = call('slack', 'message.send', { channel: '#a', text: 'x' });

  it('a cycle, too many steps, and a name that nobody knows', () => {
    const loop = files({ capabilities: [capability('a', [cap('b')]), capability('b', [cap('a')])] });
    expect(play(execution([slack, cap('a')], { usecases: loop }))).toMatchObject({ code: 'EXPANSION_CYCLE', calls: [] });
    expect(play(execution(Array.from({ length: 31 }, () => slack)))).toMatchObject({ code: 'MAX_STEPS_EXCEEDED' });
    expect(play(execution([slack, { ...slack, ref: 'unknown', when: 'false' }]))).toMatchObject({ code: 'UNKNOWN_REF', calls: [] });
  });

  it('seven groups beside each other', () => {
    expect(play(execution(Array.from({ length: 7 }, () => cap('content.text.summarize', { text: 'x' }))), () => ok({ summary: 's' })).code).toBeUndefined();
  });
});
