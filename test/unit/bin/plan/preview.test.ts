import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { ConfigSchema } from '../../../../config/schema.ts';
import { readRegistries } from '../../../../src/adapters/registries/index.ts';
import { createPlanPreview, readBoundFacts } from '../../../../src/bin/plan/preview.ts';
import type { JsonObject } from '../../../../src/core/json.ts';
import type { PlanDone } from '../../../../src/core/ports/index.ts';
import { linkPlan, startPlan } from '../../../../src/executors/plan/index.ts';
import { cap, capability, execution, say } from '../../../support/plan-core.ts';

const registries = readRegistries({ shipped: packageRoot(), own: '' });

function envelopeOf(ref: string, params: JsonObject, type = 'usecase'): JsonObject {
  return {
    header: { id: 'x', version: '1.0', timestamp: '2026-11-21', source: 'test', destination: 'executor', type: 'execution' },
    payload: { memory: { session_id: 's', state: {}, stack: [] }, steps: [{ type, ref, params }] },
  };
}

type Answer = (operation: string, params: JsonObject) => JsonObject;
const ok = (data: JsonObject): JsonObject => ({ ok: true, data, error: null });
const failed: JsonObject = { ok: false, data: null, error: { code: 'EXECUTION_FAILED', message: 'no' } };

/** Runs a shipped definition on doubles; every call in order. */
function run(envelope: JsonObject, answer: Answer): { readonly calls: readonly (readonly [string, string, JsonObject])[]; readonly done: PlanDone } {
  const linked = linkPlan(envelope, registries.lookup);
  if (!linked.ok) throw new Error(`${linked.code}: ${linked.message} ${JSON.stringify(linked.details)}`);
  const plan = startPlan(linked.envelope);
  const calls: (readonly [string, string, JsonObject])[] = [];
  for (;;) {
    const at = plan.current;
    if (at.kind === 'done') return { calls, done: at };
    const { tool, params } = at.toolInput;
    calls.push([tool.ref, tool.operation, params]);
    plan.feed(answer(tool.operation, params));
  }
}

const HITS = ['2024/contract-a.pdf', 'contract b.pdf'].map((id) => ({ id, match_field: 'filename', match_snippet: id }));
const found = (results: JsonObject[]) => ok({ results, count: results.length, truncated: false });
const INPUT = { query: 'contract', scope: 'office', max_results: 50, root: '/srv/office', archive: '/srv/archive', folder: '/srv/sorted' };

describe('the shipped use cases', () => {
  it('archive contracts: find, copy each, delete each reversibly, tell the webhook', { tags: ['PE-10', 'PE-24'] }, () => {
    const { query, scope, max_results, root, archive } = INPUT;
    const envelope = envelopeOf('contracts.archive.run', { query, scope, max_results, root, archive });
    const { calls, done } = run(envelope, (operation) => (operation === 'SEARCH_FILES' ? found(HITS) : ok({ result_summary: {} })));
    expect(done.error).toBeNull();
    expect(calls).toEqual([
      ['writ.search', 'SEARCH_FILES', { query: 'contract', target_scope: 'office', max_results: 50 }],
      ['writ.file', 'FILE_COPY', { source_path: '/srv/office/2024/contract-a.pdf', destination_path: '/srv/archive/2024/contract-a.pdf' }],
      ['writ.file', 'FILE_COPY', { source_path: '/srv/office/contract b.pdf', destination_path: '/srv/archive/contract b.pdf' }],
      ['writ.file', 'FILE_DELETE', { source_path: '/srv/office/2024/contract-a.pdf', constraints: { reversible: true } }],
      ['writ.file', 'FILE_DELETE', { source_path: '/srv/office/contract b.pdf', constraints: { reversible: true } }],
      ['http.webhook', 'post', { payload: { event: 'contracts.archived', query: 'contract', archive: '/srv/archive', count: 2 } }],
    ]);
  });

  it('delete nothing when one copy fails', () => {
    const { query, scope, max_results, root, archive } = INPUT;
    const envelope = envelopeOf('contracts.archive.run', { query, scope, max_results, root, archive });
    const { calls, done } = run(envelope, (operation, { source_path }) => {
      if (operation === 'SEARCH_FILES') return found(HITS);
      return source_path === '/srv/office/contract b.pdf' ? failed : ok({ result_summary: {} });
    });
    expect(done.error).toMatchObject({ code: 'EXECUTION_FAILED' });
    expect(calls.map(([, operation]) => operation)).toEqual(['SEARCH_FILES', 'FILE_COPY', 'FILE_COPY']);
  });

  it('sort an inbox: what cannot be moved is skipped', () => {
    const { query, scope, max_results, root, folder } = INPUT;
    let moves = 0;
    const { calls, done } = run(envelopeOf('inbox.sort.run', { query, scope, max_results, root, folder }), (operation) => {
      if (operation === 'SEARCH_FILES') return found(HITS);
      moves += 1;
      return moves === 1 ? failed : ok({ result_summary: {} });
    });
    expect(done.error).toBeNull();
    expect(calls.map(([, operation, params]) => [operation, params['destination_path']])).toEqual([
      ['SEARCH_FILES', undefined],
      ['FILE_MOVE', '/srv/sorted/2024/contract-a.pdf'],
      ['FILE_MOVE', '/srv/sorted/contract b.pdf'],
    ]);
  });

  it('report files: the webhook hears of them, and nothing when there are none', () => {
    const { query, scope, max_results } = INPUT;
    const envelope = envelopeOf('files.report.post', { query, scope, max_results });
    const hook = (hits: JsonObject[]) => run(envelope, (operation) => (operation === 'SEARCH_FILES' ? found(hits) : ok({})));
    expect(hook(HITS).calls.at(-1)).toEqual(['http.webhook', 'post', { payload: { event: 'files.found', query: 'contract', count: 2, files: HITS } }]);
    expect(hook([]).calls.map(([ref]) => ref)).toEqual(['writ.search']);
    expect(hook([]).done.error).toBeNull();
  });

  it.each(registries.refs('capabilities'))('capability %s links and takes exactly the inputs that it lists', (ref) => {
    const inputs = JSON.stringify(registries.lookup('capabilities', ref)).match(/(?<="input\.)\w+(?=")/g) ?? [];
    const envelope = envelopeOf(ref, Object.fromEntries(inputs.map((name) => [name, name])), 'capability');
    const { calls, done } = run(envelope, (operation) =>
      operation.startsWith('SEARCH') ? found([]) : ok({ result_summary: {}, matches: [], count: 0, truncated: false }),
    );
    expect(done.error).toBeNull();
    expect(calls).toHaveLength(1);
  });
});

describe('what a plan would do', () => {
  const preview = (pool = 'default') => {
    const config = ConfigSchema.parse({ pool: { id: pool } });
    return createPlanPreview(config, {
      bindingOf: (ref) =>
        ref === 'http.webhook' ? { adapter: 'http', provider: 'hooks', effects: new Map([['post', 'idempotent']]) } : readBoundFacts(config)(ref),
    });
  };

  it('names capability, queue, effect and reversibility of every step, of the pool', () => {
    const { query, scope, max_results, root, archive } = INPUT;
    const { envelope } = preview().link(envelopeOf('contracts.archive.run', { query, scope, max_results, root, archive }));
    expect(
      preview('west')
        .outline(envelope)
        .filter(({ effect }) => effect !== undefined)
        .map(({ effect, policies }) => ({ ...effect, policies })),
    ).toEqual([
      { kind: 'task', capability: 'SEARCH_FILES', queue: 'search@west', effect: 'none', reversible: false, policies: ['save'] },
      { kind: 'task', capability: 'FILE_COPY', queue: 'file@west', effect: 'once', reversible: false, policies: ['save'] },
      { kind: 'task', capability: 'FILE_DELETE', queue: 'file@west', effect: 'once', reversible: true, policies: ['save'] },
      { kind: 'request', adapter: 'http', provider: 'hooks', queue: 'tool-hooks@west', effect: 'idempotent', policies: [] },
    ]);
  });

  it('is the same for the linked envelope, and linking it again changes nothing', () => {
    const once = preview().link(envelopeOf('files.report.post', { query: 'x', scope: 'y', max_results: 1 }));
    const twice = preview().link(JSON.parse(JSON.stringify(once.envelope)));
    expect(twice).toEqual(once);
    expect(preview().outline(twice.envelope)).toEqual(preview().outline(once.envelope));
  });

  it('of the examples is known, with the example of a binding', () => {
    const examples = path.join(packageRoot(), 'examples/plans');
    const config = ConfigSchema.parse({ plan: { registry_dir: path.join(examples, 'registry') } });
    const envelopes = readdirSync(examples).filter((name) => name.endsWith('.json'));
    const last = {
      'archive-contracts.json': { kind: 'request', provider: 'http-webhook', effect: 'once' },
      'approved-move.json': { capability: 'FILE_MOVE' },
      'move-each-found.json': { capability: 'FILE_MOVE' },
      'nightly-copy.json': { capability: 'FILE_COPY' },
    };
    expect(envelopes.toSorted()).toEqual(Object.keys(last).toSorted());
    for (const [name, effect] of Object.entries(last)) {
      const own = createPlanPreview(config);
      const steps = own.outline(own.link(JSON.parse(readFileSync(path.join(examples, name), 'utf8'))).envelope);
      expect(steps.filter(({ effect }) => effect?.kind === 'unbound')).toEqual([]);
      expect(steps.at(-1)?.effect).toMatchObject(effect);
    }
  });

  it('names every field of an envelope that is at fault', () => {
    const problems = [
      { field: 'payload.steps', message: 'is missing' },
      { field: 'step', message: 'is not a field of this contract' },
    ];
    const wrong = { ...envelopeOf('no.such.usecase', {}), payload: { memory: { session_id: 's', state: {}, stack: [] }, options: {} }, step: 1 };
    expect(() => preview().link(wrong)).toThrow(expect.objectContaining({ field: 'payload.steps', problems }));
  });

  it("refuses what is no plan with the core's code", () => {
    expect(() => preview().link({})).toThrow(expect.objectContaining({ code: 'INVALID_MANIFEST', message: expect.stringContaining('INVALID_CONTRACT') }));
    expect(() => preview().link(envelopeOf('no.such.usecase', {}))).toThrow(
      expect.objectContaining({
        field: 'payload.steps.0.ref',
        message: 'UNKNOWN_REF: a step names a definition that does not exist {"type":"usecase","ref":"no.such.usecase"}',
      }),
    );
  });

  it('tells a misspelt operation and a misspelt parameter of a tool that is bound, and no tool that is missing', () => {
    const step = (operation: string, params: JsonObject): JsonObject => ({ type: 'tool', ref: 'writ.file', operation, params });
    const steps = [step('FILE_COPY', { src_path: '/a', destination_path: '/b' }), step('FILE_CPY', { source_path: '/a' })];
    const own = preview();
    const planned = own.outline(own.link({ ...envelopeOf('x', {}), payload: { memory: { session_id: 's', state: {} }, steps } }).envelope);
    expect(planned.map(({ effect }) => effect)).toMatchObject([
      { kind: 'wrong', code: 'PARAMS_MISMATCH', names: ['src_path'], known: expect.arrayContaining(['source_path', 'destination_path']) },
      { kind: 'wrong', code: 'UNKNOWN_OPERATION', names: ['FILE_CPY'], known: expect.arrayContaining(['FILE_COPY']) },
    ]);
  });

  it('refuses a plan of more steps than a lease can name, instead of showing a part of it', () => {
    const many = capability(
      'many',
      Array.from({ length: 100 }, () => say({}, { when: 'false' })),
    );
    const all = capability(
      'all',
      Array.from({ length: 120 }, () => cap('many')),
    );
    const envelope = execution([cap('all')], { catalog: { capabilities: [many, all] }, options: { maxSteps: 1000 } });
    expect(() => preview().outline(envelope)).toThrow(
      expect.objectContaining({ code: 'INVALID_MANIFEST', message: expect.stringContaining('more steps than a lease can name') }),
    );
  });

  it('says which name was meant, also where no other name of the document is known', () => {
    const payload = { memory: { session_id: 's', state: {} } };
    const link = (type: string, ref: string) => () => preview().link({ ...envelopeOf('x', {}), payload: { ...payload, steps: [{ type, ref, params: {} }] } });
    expect(link('usecase', 'inbox.sort.rnu')).toThrow(expect.objectContaining({ code: 'INVALID_MANIFEST', field: 'payload.steps.0.ref' }));
    expect(link('usecase', 'inbox.sort.rnu')).toThrow("did you mean 'inbox.sort.run'?");
    expect(link('capability', 'file.item.mvoe')).toThrow("did you mean 'file.item.move'?");
    expect(link('tool', 'inbox.sort.run')).toThrow('; a usecase has this name');
  });

  it('refuses a definition that says something else than the one of this host', () => {
    const envelope = envelopeOf('files.report.post', {});
    const mine = { id: 'writ.search', version: '9', categories: ['x'], actions: [{ name: 'SEARCH_FILES' }] };
    (envelope['payload'] as JsonObject)['registryFiles'] = [{ category: 'tools', ref: 'writ.search', content: mine }];
    expect(() => preview().link(envelope)).toThrow(expect.objectContaining({ message: expect.stringContaining('REGISTRY_CONFLICT') }));
  });
});
