import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { DIALECTS } from '../../../src/content-search/backends/dialects.ts';
import type { BackendJob, BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { answerTo, eventsOf, type RigOptions, realBackends, refusalOf, temporaryDirectory } from '../../support/content/rig.ts';
import { scriptedBackend } from '../../support/content/scripted.ts';
import { patient } from '../../support/patience.ts';

let root: string;

beforeAll(() => {
  root = temporaryDirectory('content-scripted');
  mkdirSync(path.join(root, 'd'));
  for (const name of ['a.txt', 'b.txt', 'd/c.txt', 'new\nline', '--files-from', '#x', '*']) writeFileSync(path.join(root, name), 'x\n');
});
afterAll(() => rmSync(root, { recursive: true }));

const FALLBACK = { levels: [1, 2, 3], minPatternLength: 4 };
const LITERAL = { pattern: 'needle', fixed_strings: true };
const rig = (backend: SearchBackend, changes: Partial<RigOptions> = {}): RigOptions => ({
  root,
  backend,
  emitStats: true,
  fuzzyFallback: FALLBACK,
  ...changes,
});
const levels = (jobs: readonly BackendJob[]): number[] => jobs.map(({ query }) => query.fuzzy);

describe('how a search ends', () => {
  it('tries nothing else when the backend fails', { tags: ['T-LSI-EXIT-01', 'FR-LSI-EXIT-03', 'FR-LSI-FUZ-04'] }, async () => {
    const backend = scriptedBackend(() => ({ code: 3, stderr: 'ugrep: out of something\n' }));
    expect((await refusalOf(rig(backend), LITERAL)).code).toBe('ExecutionFailed');
    expect(levels(backend.jobs).filter((level) => level > 0)).toEqual([]);
  });

  it('falls back only from an end without matches and without errors', { tags: ['T-LSI-EXIT-01', 'T-LSI-FUZ-01'] }, async () => {
    const backend = scriptedBackend(({ query }) => (query.fuzzy === 2 ? { lines: ['a.txt:1:neeedle'] } : {}));
    const answer = await answerTo(rig(backend), LITERAL);
    expect(eventsOf(answer)).toEqual(['a.txt:1:neeedle']);
    expect([...new Set(levels(backend.jobs))]).toEqual([0, 1, 2]);
    expect(answer.stats).toMatchObject({ fallback_used: true, fuzzy_levels_tried: [1, 2] });
  });

  it('goes on when a pass gave context only', { tags: ['T-LSI-FUZ-04'] }, async () => {
    const backend = scriptedBackend(({ query }) => ({ 1: { lines: ['a.txt-1-x'], code: 0 }, 2: { lines: ['a.txt:1:needl'] } })[query.fuzzy] ?? {});
    expect((await answerTo(rig(backend), { ...LITERAL, context: 1 })).stats?.fuzzy_levels_tried).toEqual([1, 2]);
  });

  it('times out when the backend does not end, with nothing out of order and no fallback', {
    tags: ['T-LSI-EXIT-02', 'FR-LSI-ORD-05.1', 'FR-LSI-ORD-05.2'],
  }, async () => {
    const backend = scriptedBackend(() => ({ hangs: true }));
    const answer = await answerTo(rig(backend), { ...LITERAL, timeout_ms: 150 });
    expect(answer).toMatchObject({ timed_out: true, count: 0, stats: { fallback_used: false, fuzzy_levels_tried: [] } });
    expect(answer.content).toContain('The time ran out');
    expect(levels(backend.jobs).every((level) => level === 0)).toBe(true);
  });

  it('has one deadline for all passes', { tags: ['T-LSI-FUZ-03', 'FR-LSI-FUZ-G-03.1'] }, async () => {
    const backend = scriptedBackend(({ query }) => (query.fuzzy === 0 ? {} : { hangs: true }));
    const answer = await answerTo(rig(backend), { ...LITERAL, timeout_ms: patient(1_000) });
    // The pass that hangs is ended by the deadline of all; no other is begun after it.
    expect([...new Set(levels(backend.jobs))]).toEqual([0, 1]);
    expect(answer).toMatchObject({
      timed_out: true,
      stats: { fallback_used: true, fuzzy_levels_tried: [1], fallback_passes_skipped: 2, fallback_skip_reason: 'TIME_BUDGET' },
    });
  });

  it('asks for a pass exactly what the request asked for, but for the level', { tags: ['FR-LSI-FUZ-G-02'] }, async () => {
    const backend = scriptedBackend(() => ({}));
    await answerTo(rig(backend), { ...LITERAL, case: 'insensitive', context: 2, word_regexp: true, max_results: 9, glob: ['*.txt'] });
    const asked = backend.jobs.map(({ query: { fuzzy: _, ...query }, files, cwd }) => JSON.stringify({ query, files, cwd }));
    expect(levels(backend.jobs)).toEqual([0, 1, 2, 3]);
    expect(new Set(asked).size).toBe(1);
  });
});

describe('the list of files', () => {
  it('is passed as arguments in pieces, relative to the order root, whatever names it has; nothing is written', {
    tags: [
      'FR-LSI-EXE-02',
      'FR-LSI-BE-UG-01',
      'FR-LSI-BE-UG-02',
      'FR-LSI-BE-RG-01',
      'FR-LSI-BE-RG-02',
      'FR-LSI-BE-RG-03',
      'FR-LSI-BE-TMP-01.1',
      'FR-LSI-BE-TMP-01.2',
      'FR-LSI-BE-TMP-01.3',
      'FR-LSI-BE-TMP-02',
    ],
  }, async () => {
    const backend = scriptedBackend(() => ({}));
    const own = (): string[] => [...readdirSync(root), ...readdirSync(os.tmpdir()).filter((name) => name.startsWith('writ-content-scripted-'))];
    const before = own();
    await answerTo(rig(backend, { fuzzyFallback: undefined }), LITERAL);
    expect(backend.jobs.flatMap(({ files }) => files)).toEqual(['#x', '*', '--files-from', 'a.txt', 'b.txt', 'd/c.txt', 'new\nline']);
    expect(new Set(backend.jobs.map(({ cwd }) => cwd))).toEqual(new Set([root]));
    expect(own()).toEqual(before);
    for (const { options } of Object.values(DIALECTS)) {
      const told = options({
        ...backend.jobs[0]?.query,
        pattern: 'x',
        fixedStrings: true,
        wordRegexp: false,
        ignoreCase: false,
        context: 0,
        fuzzy: 0,
        maxCount: 1,
      });
      expect(told.filter((option) => /from|recursive|^-[rR]$/.test(option))).toEqual([]);
    }
  });

  it('is the same for both backends, which can both take it, so that no capability is ever missing', {
    tags: ['FR-LSI-BE-02', 'FR-LSI-BE-CAP-02', 'FR-LSI-STAT-02.17', 'FR-LSI-ELIG-02'],
  }, async () => {
    const lists = (['ugrep', 'rg'] satisfies BackendKind[]).map(async (kind) => {
      const backend = scriptedBackend(() => ({}), { kind });
      const { stats } = await answerTo(rig(backend, { fuzzyFallback: undefined }), LITERAL);
      expect(stats?.fallback_reason).not.toBe('CAPABILITY_MISSING');
      return backend.jobs.flatMap(({ files }) => files);
    });
    const [one, other] = await Promise.all(lists);
    expect(one).toEqual(other);
    for (const backend of Object.values(await realBackends())) expect(backend.fileList).toBe('ARGV_CHUNKED');
  });
});

describe('the words of the specification', () => {
  it('has no use of the deprecated NormalizePathForOrder', { tags: ['LSI-PATH-16'] }, () => {
    const folder = path.join(packageRoot(), 'src', 'content-search');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => /normalizePathForOrder/i.test(readFileSync(path.join(folder, name), 'utf8')))).toEqual([]);
  });

  it('tells consumers that stats are optional and may grow', { tags: ['FR-LSI-SCHEMA-RESP-03.2'] }, () => {
    const page = readFileSync(path.join(packageRoot(), 'docs', 'content-search.md'), 'utf8');
    expect(page).toMatch(/stats.{0,400}(?:optional|forward-compatible)/s);
  });
});
