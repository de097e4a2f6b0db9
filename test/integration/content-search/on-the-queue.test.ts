import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentSearchAnswer, ExecutionResult, TaskManifest } from '../../../src/contracts/index.ts';
import { type RawProducer, startRawProducer } from '../../support/raw-producer.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

let home: string;
let root: string;
let rig: Rig;
let raw: RawProducer;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'writ-content-queue-'));
  root = path.join(home, 'root');
  mkdirSync(path.join(root, 'src', 'deep'), { recursive: true });
  for (const [name, text] of Object.entries({ 'src/b.ts': 'const x = 1;\n', 'src/a.ts': 'let y;\nconst z = 2;\n', 'src/deep/c.ts': 'const c = 3;\n' }))
    writeFileSync(path.join(root, name), text);
  writeFileSync(path.join(root, 'slow.txt'), `${'a'.repeat(40)}b\n`.repeat(2_000_000));
  rig = await startRig({
    config: {
      tools: { search: { enabled: true, emit_stats: true }, sandbox: { allowed_roots: [root] } },
      search: { scopes: { names: { kind: 'files', path: path.join(root, 'src') } } },
    },
  });
  await rig.startWorker({ queues: ['search'] });
  raw = await startRawProducer(rig, 'search');
});
afterAll(async () => {
  await raw.close();
  await rig.stop();
  rmSync(home, { recursive: true, force: true });
});

const search = (inputs: Record<string, unknown>, changes: Partial<TaskManifest> = {}): TaskManifest =>
  manifestOf('CONTENT_SEARCH', '', undefined, { inputs: { pattern: 'const', ...inputs }, ...changes });

async function answered(manifest: TaskManifest): Promise<ExecutionResult> {
  await rig.push(manifest);
  return rig.answer(manifest.task_id, undefined, 30_000);
}

describe('CONTENT_SEARCH on the search queue', () => {
  it('answers in the order of path and line, under a lease, with a signed result that says nothing of time', async () => {
    const manifest = search({ glob: ['*.ts'] });
    const result = await answered(manifest);
    const output = result.output as ContentSearchAnswer;
    expect(output.matches.map(({ data }) => [data.path.text, data.line_number, data.lines.text])).toEqual([
      ['src/a.ts', 2, 'const z = 2;'],
      ['src/b.ts', 1, 'const x = 1;'],
      ['src/deep/c.ts', 1, 'const c = 3;'],
    ]);
    expect(output).toMatchObject({ pattern: 'const', path: '.', count: 3, truncated: false, timed_out: false, exit_code: 0 });
    expect(output.stats).toMatchObject({ stats_version: 1, index_safety_state: 'DISABLED' });
    expect(output.stats).not.toHaveProperty('elapsed_ms');
    expect(await rig.verify(manifest, JSON.stringify(result))).toBe(true);
  });

  it('gives the same bytes for the same search, whoever runs it and when', async () => {
    const outputs = await Promise.all(Array.from({ length: 5 }, async () => JSON.stringify((await answered(search({ path: 'src', context: 1 }))).output)));
    expect(new Set(outputs).size).toBe(1);
  });

  it('answers a finished task again as before, although the files have changed; a new task sees the change', async () => {
    const file = path.join(root, 'src', 'moving.ts');
    writeFileSync(file, 'before\n');
    const manifest = search({ pattern: 'before' });
    const first = await answered(manifest);
    expect(first.output).toMatchObject({ count: 1 });
    writeFileSync(file, 'after\n');
    expect(await raw.add({ v: 1, manifest, lease: await rig.lease(manifest) })).not.toHaveProperty('failed');
    expect(await rig.answer(manifest.task_id)).toEqual(first);
    expect((await answered(search({ pattern: 'before' }))).output).toMatchObject({ count: 0, exit_code: 1 });
    rmSync(file);
  });

  it('shares its queue with the searches for names', async () => {
    const names = manifestOf('SEARCH_FILES', '', undefined, { inputs: { query: 'a.ts', target_scope: 'names', max_results: 5 } });
    const [contents, found] = await Promise.all([answered(search({ path: 'src' })), answered(names)]);
    expect(contents.output).toMatchObject({ count: 3 });
    expect(found.output).toMatchObject({ count: 1, results: [{ id: 'a.ts' }] });
  });

  it('answers what is wrong with the request as INVALID_QUERY, and what cannot be done as EXECUTION_FAILED', async () => {
    expect((await answered(search({ pattern: '' }))).error).toMatchObject({ error_code: 'INVALID_QUERY', message: expect.stringMatching(/^BadArgs: pattern/) });
    expect((await answered(search({ patterns: [] }))).error).toMatchObject({
      error_code: 'INVALID_QUERY',
      message: expect.stringMatching(/^BadArgs: patterns/),
    });
    expect((await answered(search({ pattern: '(' }))).error).toMatchObject({
      error_code: 'INVALID_QUERY',
      message: expect.stringMatching(/^BadArgs: pattern/),
    });
    expect((await answered(search({ path: 'absent' }))).error).toMatchObject({
      error_code: 'EXECUTION_FAILED',
      message: expect.stringMatching(/^ExecutionFailed: path/),
    });
  });

  it('keeps to constraints.scope', async () => {
    expect((await answered(search({ path: 'src/deep' }, { constraints: { scope: 'src' } }))).output).toMatchObject({ count: 1 });
    expect((await answered(search({}, { constraints: { scope: 'src' } }))).error).toMatchObject({ error_code: 'SCOPE_NOT_ALLOWED' });
  });

  it('refuses a lease for another search before it looks at anything', async () => {
    const manifest = search({});
    const lease = await rig.lease(manifest);
    expect(await raw.add({ v: 1, manifest: { ...manifest, inputs: { pattern: 'other' } }, lease })).toMatchObject({
      failed: expect.stringMatching(/^INVALID_LEASE/),
    });
  });

  it('ends when it is cancelled, and at its own time limit with what it has', async () => {
    const slow = search({ pattern: '(a|aa)+$', path: 'slow.txt', timeout_ms: 120_000 });
    await rig.push(slow);
    await expect.poll(async () => (await rig.ledger.row(slow.task_id))?.state).toBe('running');
    await rig.ledger.cancel(slow.task_id, Date.now());
    expect((await rig.answer(slow.task_id)).error).toEqual({ error_code: 'EXECUTION_FAILED', message: 'cancelled' });
    expect((await answered(search({ pattern: '(a|aa)+$', path: 'slow.txt', timeout_ms: 300 }))).output).toMatchObject({ timed_out: true, count: 0 });
  });
});

describe('a worker whose settings allow no content search', () => {
  it('answers SCOPE_NOT_ALLOWED with the lines to add, and keeps no process for it', async () => {
    await using bare = await startRig();
    await bare.startWorker({ queues: ['search'] });
    const manifest = search({});
    await bare.push(manifest);
    const { error } = await bare.answer(manifest.task_id);
    expect(error?.error_code).toBe('SCOPE_NOT_ALLOWED');
    expect(error?.message).toContain('`enabled = true` to [tools.search]');
    expect(error?.message).toContain('`allowed_roots = ["/path/to/search"]` to [tools.sandbox]');
  });
});
