import { describe, expect, it } from 'vitest';
import type { ContentSearchAnswer, TaskManifest } from '../../../../src/contracts/index.ts';
import { BOUNDS, ContentSearchStats } from '../../../../src/contracts/index.ts';
import { type Execution, failure, type StopReason } from '../../../../src/core/outcome.ts';
import type { ContentSearch, ContentSearchOutcome } from '../../../../src/core/ports/index.ts';
import { createContentExecutor } from '../../../../src/executors/content/index.ts';
import { NO_INDEX_SEARCH } from '../../../support/content/facts.ts';

const STATS = ContentSearchStats.parse({
  ...NO_INDEX_SEARCH,
  ...{ backend_id: 'rg@15.0.0', fallback_reason: null },
  ...{ candidates_total: 1, candidates_excluded: 0, candidates_scanned: 1, elapsed_ms: 7 },
});
const ANSWER: ContentSearchAnswer = {
  pattern: 'x',
  path: '.',
  count: 1,
  matches: [{ type: 'match', data: { path: { text: 'a' }, line_number: 1, lines: { text: 'x' } } }],
  truncated: false,
  timed_out: false,
  exit_code: 0,
  content: 'a\n1:x\n',
};
const RUN = {
  backend: 'rg',
  elapsedMs: 7,
  files: 1,
  processes: 1,
  fallbackUsed: false,
  indexBypass: 'INDEX_OFF',
  facts: NO_INDEX_SEARCH,
  backendStderr: '',
} as const;
const found = (answer: ContentSearchAnswer = ANSWER): ContentSearchOutcome => ({ ok: true, answer, run: RUN });

interface Asked {
  readonly outcome?: ContentSearchOutcome;
  readonly refusal?: string;
  readonly inputs?: TaskManifest['inputs'];
  readonly scope?: string;
  readonly gate?: Execution;
  readonly stop?: StopReason;
}

/** Runs one task; also what the tool was asked. */
async function run({ outcome = found(), refusal, inputs = { pattern: 'x' }, scope, gate, stop }: Asked) {
  const requests: unknown[] = [];
  const controller = new AbortController();
  const tool: ContentSearch = {
    async search(request, signal) {
      requests.push(request);
      expect(signal).toBe(controller.signal);
      if (stop !== undefined) controller.abort(stop);
      return outcome;
    },
  };
  const manifest: TaskManifest = { task_id: 't', capability_id: 'CONTENT_SEARCH', inputs, constraints: scope === undefined ? {} : { scope } };
  const task = { manifest, manifestSha256: 'a'.repeat(64), authority: { jti: 'j', exp: 1, kid: 'k' }, epoch: 1 };
  const end = await createContentExecutor({ tool, refusal }).execute(task, { signal: controller.signal, gate: () => gate });
  return { end, requests };
}

const refused = (code: Parameters<typeof failure>[0], message: string) => ({ kind: 'outcome', outcome: failure(code, message) });

describe('CONTENT_SEARCH', () => {
  it('hands the inputs to the tool as they are and answers what it answers', async () => {
    const { end, requests } = await run({ inputs: { pattern: 'x', glob: ['*.ts'] } });
    expect(requests).toEqual([{ pattern: 'x', glob: ['*.ts'] }]);
    expect(end).toEqual({ kind: 'outcome', outcome: { status: 'SUCCESS', output: ANSWER, error: null } });
  });

  it('records no time: of the stats all but elapsed_ms, and fields that are absent stay absent', async () => {
    const { exit_code: _, ...bare } = ANSWER;
    const { elapsed_ms: __, ...stats } = STATS;
    expect((await run({ outcome: found({ ...bare, stats: STATS, stderr: 'b: gone' }) })).end).toEqual({
      kind: 'outcome',
      outcome: { status: 'SUCCESS', output: { ...bare, stats, stderr: 'b: gone' }, error: null },
    });
  });

  it.each([
    [{ code: 'BadArgs', field: 'pattern', message: 'is empty' }, 'INVALID_QUERY', 'BadArgs: pattern: is empty'],
    [{ code: 'BadArgs', field: undefined, message: 'is no object' }, 'INVALID_QUERY', 'BadArgs: is no object'],
    [{ code: 'ExecutionFailed', field: 'path', message: 'is not there' }, 'EXECUTION_FAILED', 'ExecutionFailed: path: is not there'],
  ] as const)('answers %o as %s', async (error, code, message) => {
    expect((await run({ outcome: { ok: false, error } })).end).toEqual(refused(code, message));
  });

  it('refuses every search where nothing may be searched, with the lines to add, and asks nobody', async () => {
    const { end, requests } = await run({ refusal: 'add a root' });
    expect(end).toEqual(refused('SCOPE_NOT_ALLOWED', 'add a root'));
    expect(requests).toEqual([]);
  });

  it.each([
    ['src', { path: 'src' }, true],
    ['src', { path: './src/a/' }, true],
    ['/srv/a', { path: '/srv/a/b' }, true],
    ['.', { path: 'anything' }, true],
    ['src', { path: 'source' }, false],
    ['src', { path: '/src' }, false],
    ['src', {}, false],
    ['src', { path: 'src/../other' }, false],
    ['src', { path: 7 }, false],
  ])('with the scope %s takes %o: %s', async (scope, inputs, allowed) => {
    const { end } = await run({ scope, inputs: { pattern: 'x', ...inputs } });
    expect(end).toMatchObject(allowed ? { outcome: { status: 'SUCCESS' } } : refused('SCOPE_NOT_ALLOWED', 'inputs.path lies outside constraints.scope'));
  });

  it('answers RESOURCE_EXHAUSTED for an answer of the tool that has no room in a result, and says what to ask for', async () => {
    const { end } = await run({ outcome: found({ ...ANSWER, content: 'x'.repeat(BOUNDS.output) }) });
    expect(end).toEqual({
      kind: 'outcome',
      outcome: failure('RESOURCE_EXHAUSTED', expect.stringMatching(/^the answer has 10[0-9]{5} bytes, .* 1047552; ask for fewer \(max_results\)$/)),
    });
  });

  it('starts nothing when the gate is closed', async () => {
    const { end, requests } = await run({ gate: { kind: 'interrupted', reason: 'lock-lost' } });
    expect({ end, requests }).toEqual({ end: { kind: 'interrupted', reason: 'lock-lost' }, requests: [] });
  });

  it('answers why it was stopped, whatever the tool says then', async () => {
    expect((await run({ stop: 'cancelled' })).end).toEqual(refused('EXECUTION_FAILED', 'cancelled'));
    expect((await run({ stop: 'shutdown' })).end).toEqual({ kind: 'interrupted', reason: 'shutdown' });
  });
});
