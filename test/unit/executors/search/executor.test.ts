import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, SEARCH_ERROR_CODES, type TaskManifest } from '../../../../src/contracts/index.ts';
import { type Execution, failure } from '../../../../src/core/outcome.ts';
import type { Found, RunContext, ScanAnswer, ScanRequest, SearchScope } from '../../../../src/core/ports/index.ts';
import { createSearchExecutor } from '../../../../src/executors/search/index.ts';
import { ScanError, scan } from '../../../../src/executors/search/scans.ts';

const SCOPES: Record<string, SearchScope> = {
  docs: { kind: 'files', path: '/srv/docs' },
  '../x': { kind: 'files', path: '/srv/other' },
  inbox: { kind: 'emails', store: 'maildir', path: '/srv/mail' },
  customers: { kind: 'datasets', format: 'csv', path: '/srv/c.csv', table: '', primaryKey: 'id', numeric: [] },
};
const INPUTS = { query: 'needle', target_scope: 'docs', max_results: 10 };
const NOTHING: ScanAnswer = { ok: true, found: { count: 0, hits: [] } };

interface Asked {
  readonly requests: ScanRequest[];
  run(manifest: Partial<TaskManifest>, context?: Partial<RunContext>): Promise<Execution>;
}

function executor(answer: ScanAnswer | (() => Promise<ScanAnswer>) = NOTHING, scopes = SCOPES): Asked {
  const requests: ScanRequest[] = [];
  const search = createSearchExecutor({
    scopes,
    maxRunMs: 30_000,
    scanner: {
      async scan(request) {
        requests.push(request);
        return typeof answer === 'function' ? answer() : answer;
      },
    },
  });
  return {
    requests,
    run: (changes, context) =>
      search.execute(
        {
          manifest: { task_id: 't', capability_id: 'SEARCH_FILES', inputs: INPUTS, constraints: {}, ...changes },
          manifestSha256: '0'.repeat(64),
          authority: { jti: 'j', exp: 1, kid: 'k' },
          epoch: 1,
        },
        { signal: new AbortController().signal, gate: () => undefined, ...context },
      ),
  };
}

async function codeOf(manifest: Partial<TaskManifest>): Promise<string> {
  const { run, requests } = executor();
  const execution = await run(manifest);
  const code = execution.kind === 'outcome' ? (execution.outcome.error?.error_code ?? 'SUCCESS') : execution.kind;
  expect(requests.length).toBe(code === 'SUCCESS' ? 1 : 0);
  return code;
}

function inputs(changes: Record<string, unknown>): Partial<TaskManifest> {
  return { inputs: { ...INPUTS, ...changes } };
}

function without(name: keyof typeof INPUTS): Partial<TaskManifest> {
  return { inputs: Object.fromEntries(Object.entries(INPUTS).filter(([key]) => key !== name)) };
}

describe('what a search asks for', () => {
  it.each(['SEARCH_FILES', 'SEARCH_EMAILS', 'SEARCH_DATASETS'] as const)(
    'does %s on a scope of its kind',
    { tags: ['SE-14', 'SE-15', 'SE-16'] },
    async (capability_id) => {
      const target_scope = { SEARCH_FILES: 'docs', SEARCH_EMAILS: 'inbox', SEARCH_DATASETS: 'customers' }[capability_id];
      expect(await codeOf({ capability_id, ...inputs({ target_scope }) })).toBe('SUCCESS');
    },
  );

  const OTHERS = CAPABILITIES.filter((id) => !['SEARCH_FILES', 'SEARCH_EMAILS', 'SEARCH_DATASETS'].includes(id));

  it.each([
    ...OTHERS,
    ...['PLAN', 'SEARCH_MESSAGES', 'search_files', 'Search_Emails', 'SEARCH', '', ' SEARCH_FILES', 'SEARCH_FILES ', 'SEARCH_FILES\0', '__proto__'],
  ])('refuses the capability %j', { tags: ['SE-17', 'SE-64'] }, async (capability_id) => {
    expect(await codeOf({ capability_id })).toBe('UNSUPPORTED_CAPABILITY');
  });

  it.each([undefined, null, 1, true, ['a'], {}])('refuses the query %j, which is no string', { tags: ['SE-18', 'SE-65'] }, async (query) => {
    expect(await codeOf(inputs({ query }))).toBe('INVALID_QUERY');
  });

  it('has no defaults: each input must be there', { tags: ['SE-18', 'SE-19', 'SE-20', 'SE-27'] }, async () => {
    expect(await codeOf(without('query'))).toBe('INVALID_QUERY');
    expect(await codeOf(without('target_scope'))).toBe('SCOPE_NOT_ALLOWED');
    expect(await codeOf(without('max_results'))).toBe('INVALID_QUERY');
    expect(await codeOf({ inputs: {} })).toBe('INVALID_QUERY');
  });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])('refuses the query %j, which no UTF-8 can hold', { tags: ['SE-21'] }, async (query) => {
    expect(await codeOf(inputs({ query }))).toBe('INVALID_QUERY');
  });

  it("searches for the query without leading and trailing white space, Unicode's included", { tags: ['SE-22'] }, async () => {
    const { run, requests } = executor();
    for (const query of ['  a ', '\u0085a b\u2003', '\u2003a\u0085', '\t\r\na\n', '\ufeffa', 'a\ufeff ']) await run(inputs({ query }));
    expect(requests.map(({ query }) => query)).toEqual(['a', 'a b', 'a', 'a', '\ufeffa', 'a\ufeff']);
  });

  it('takes 1 to 4096 code points, counting an astral character as one', { tags: ['SE-23', 'SE-24'] }, async () => {
    for (const query of ['a', 'a'.repeat(4096), '\u{1f600}'.repeat(4096), ` ${'a'.repeat(4096)} `, 'a\0b'])
      expect(await codeOf(inputs({ query }))).toBe('SUCCESS');
    for (const query of ['', '   ', '\u3000', 'a'.repeat(4097), '\u{1f600}'.repeat(4097)]) expect(await codeOf(inputs({ query }))).toBe('INVALID_QUERY');
  });

  it.each(['Docs', 'docs ', ' docs', 'doc', '', '/srv/docs', '__proto__', 'constructor', 1, null])(
    'refuses the scope %j: only exact identifiers are allowed',
    { tags: ['SE-25', 'SE-11', 'SE-66'] },
    async (target_scope) => {
      expect(await codeOf(inputs({ target_scope }))).toBe('SCOPE_NOT_ALLOWED');
    },
  );

  it('refuses a scope of another kind', async () => {
    expect(await codeOf(inputs({ target_scope: 'inbox' }))).toBe('SCOPE_NOT_ALLOWED');
  });

  it('uses an identifier as a key and nothing else: one that looks like a path is mapped like any other', { tags: ['SE-32', 'SE-33'] }, async () => {
    const { run, requests } = executor();
    await run(inputs({ target_scope: '../x' }));
    expect(requests[0]?.scope).toEqual({ kind: 'files', path: '/srv/other' });
  });

  it.each([0, -1, 1001, 1.5, '10', true, null, Number.NaN, 1e300])(
    'refuses max_results %j, and does not clamp it',
    { tags: ['SE-20', 'SE-26'] },
    async (max_results) => {
      expect(await codeOf(inputs({ max_results }))).toBe('INVALID_QUERY');
    },
  );

  it.each([1, 1000])('takes max_results %i', { tags: ['SE-26'] }, async (max_results) => {
    expect(await codeOf(inputs({ max_results }))).toBe('SUCCESS');
  });

  it('refuses inputs that it does not know', async () => {
    expect(await codeOf(inputs({ regex: true }))).toBe('INVALID_QUERY');
  });

  it('keeps to constraints.scope, which must be the very scope', async () => {
    expect(await codeOf({ constraints: { scope: 'docs' } })).toBe('SUCCESS');
    expect(await codeOf({ constraints: { scope: 'doc' } })).toBe('SCOPE_NOT_ALLOWED');
  });
});

describe('the search executor', () => {
  it('needs an allow-list to start with', { tags: ['SE-34'] }, () => {
    const withoutScopes = { scanner: { scan: async () => NOTHING }, maxRunMs: 1 };
    // As plain JavaScript may call it.
    expect(() => Reflect.apply(createSearchExecutor, undefined, [withoutScopes])).toThrow(/^Cannot convert undefined or null to object$/);
  });

  it('is not changed by whoever changes the allow-list afterwards', { tags: ['SE-35', 'SE-36'] }, async () => {
    const scope: { kind: 'files'; path: string } = { kind: 'files', path: '/srv/docs' };
    const scopes: Record<string, SearchScope> = { docs: scope };
    const { run, requests } = executor(NOTHING, scopes);
    scopes['more'] = { kind: 'files', path: '/' };
    scope.path = '/etc';
    await run({});
    expect(await run(inputs({ target_scope: 'more' }))).toMatchObject({ outcome: { error: { error_code: 'SCOPE_NOT_ALLOWED' } } });
    expect(requests.map(({ scope: asked }) => asked)).toEqual([{ kind: 'files', path: '/srv/docs' }]);
  });

  it('asks for one scan per search, and for none before', { tags: ['SE-04', 'SE-08'] }, async () => {
    const { run, requests } = executor();
    expect(requests).toEqual([]);
    await run({});
    expect(requests).toEqual([{ scope: SCOPES['docs'], query: 'needle', maxResults: 10 }]);
  });

  it('answers results, count and truncated; truncated when there are more matches than results', { tags: ['SE-50', 'SE-51', 'SE-52', 'SE-59'] }, async () => {
    const hits = [{ id: 'a/needle', match_field: 'filename', match_snippet: 'needle' }];
    const answer = (count: number) => executor({ ok: true, found: { count, hits } }).run(inputs({ max_results: 1 }));
    const output = { task_id: 't', capability_id: 'SEARCH_FILES', target_scope: 'docs', results: hits };
    expect(await answer(1)).toEqual({ kind: 'outcome', outcome: { status: 'SUCCESS', error: null, output: { ...output, count: 1, truncated: false } } });
    expect(await answer(2)).toMatchObject({ outcome: { output: { count: 2, truncated: true } } });
  });

  it('answers RESOURCE_EXHAUSTED for results that have no room in an answer, and says what to ask for', { tags: ['SE-69'] }, async () => {
    const hits = (bytes: number) =>
      Array.from({ length: 1000 }, (_, n) => ({ id: `${n}/${'d'.repeat(bytes)}`, match_field: 'filename', match_snippet: 'needle' }));
    const large = await executor({ ok: true, found: { count: 5000, hits: hits(1200) } }).run(inputs({ max_results: 1000 }));
    expect(large).toMatchObject({
      kind: 'outcome',
      outcome: {
        error: {
          error_code: 'RESOURCE_EXHAUSTED',
          message: expect.stringMatching(/^the 1000 results have 12[0-9]{5} bytes, and an answer has room for 1047552; ask for fewer \(max_results\)$/),
        },
      },
    });
    const fitting = await executor({ ok: true, found: { count: 5000, hits: hits(900) } }).run(inputs({ max_results: 1000 }));
    expect(fitting).toMatchObject({ outcome: { status: 'SUCCESS', output: { count: 5000, truncated: true } } });
  });

  it('answers no matches with an empty list', { tags: ['SE-58'] }, async () => {
    expect(await executor().run({})).toMatchObject({ outcome: { output: { results: [], count: 0, truncated: false } } });
  });

  it('keeps no result: the next search sees what has changed', { tags: ['SE-10', 'SE-07'] }, async () => {
    let count = 0;
    const { run } = executor(async () => ({ ok: true, found: { count: ++count, hits: [] } }));
    expect(await run({})).toMatchObject({ outcome: { output: { count: 1 } } });
    expect(await run({})).toMatchObject({ outcome: { output: { count: 2 } } });
  });

  it('asks the gate once more before it scans', async () => {
    const { run, requests } = executor();
    const closed: Execution = { kind: 'outcome', outcome: failure('LEASE_EXPIRED', 'late') };
    expect(await run({}, { gate: () => closed })).toBe(closed);
    expect(requests).toEqual([]);
  });

  it.each([
    ['timeout', { kind: 'outcome', outcome: { error: { error_code: 'RESOURCE_EXHAUSTED' }, output: null } }],
    ['cancelled', { kind: 'outcome', outcome: { error: { error_code: 'EXECUTION_FAILED', message: 'cancelled' } } }],
    ['shutdown', { kind: 'interrupted', reason: 'shutdown' }],
    ['lock-lost', { kind: 'interrupted', reason: 'lock-lost' }],
  ])('ends as stopped by %s, also when an answer came after all: no partial result', { tags: ['SE-69'] }, async (reason, expected) => {
    const controller = new AbortController();
    const { run } = executor(async () => {
      controller.abort(reason);
      return NOTHING;
    });
    expect(await run({}, { signal: controller.signal })).toMatchObject(expected);
  });

  it.each(['SCOPE_UNAVAILABLE', 'EXECUTION_FAILED', 'RESOURCE_EXHAUSTED'] as const)(
    'answers what the scan answers: %s',
    { tags: ['SE-67', 'SE-68', 'SE-69'] },
    async (code) => {
      expect(await executor({ ok: false, code, message: 'why' }).run({})).toMatchObject({
        outcome: { status: 'FAILURE', error: { error_code: code, message: 'why' } },
      });
    },
  );

  it('never answers a code outside of the closed set, whatever it is asked', { tags: ['SE-70'] }, async () => {
    const anything = fc.record({
      capability_id: fc.oneof(fc.constantFrom('SEARCH_FILES', 'SEARCH_EMAILS', 'FILE_COPY'), fc.string()),
      inputs: fc.oneof(fc.dictionary(fc.string(), fc.anything()), fc.record({ query: fc.anything(), target_scope: fc.anything(), max_results: fc.anything() })),
    });
    await fc.assert(
      fc.asyncProperty(anything, async (manifest) => {
        const execution = await executor().run(manifest);
        if (execution.kind !== 'outcome') throw new Error('a search always has an outcome');
        if (execution.outcome.error) expect(SEARCH_ERROR_CODES).toContain(execution.outcome.error.error_code);
      }),
    );
  });
});

describe('a scan in its process', () => {
  const files = async (): Promise<Found> => ({ count: 0, hits: [] });
  const request: ScanRequest = { scope: { kind: 'files', path: '/x' }, query: 'q', maxResults: 1 };

  it('answers a ScanError with its code and sentence', async () => {
    const scans = { files: () => Promise.reject(new ScanError('SCOPE_UNAVAILABLE', 'not there')), emails: files, datasets: files };
    expect(await scan(request, scans, () => undefined)).toEqual({ ok: false, code: 'SCOPE_UNAVAILABLE', message: 'not there' });
  });

  it('answers anything else as EXECUTION_FAILED, reports it, and repeats none of its words', { tags: ['SE-68'] }, async () => {
    const error = Object.assign(new Error('EIO: i/o error, read /secret'), { code: 'EIO' });
    const reported: unknown[] = [];
    const scans = { files: () => Promise.reject(error), emails: files, datasets: files };
    expect(await scan(request, scans, (seen) => reported.push(seen))).toEqual({
      ok: false,
      code: 'EXECUTION_FAILED',
      message: 'the source could not be read to its end (EIO)',
    });
    expect(reported).toEqual([error]);
  });
});
