import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIndexBuilder } from '../../../src/content-search/ngram-index/serving/build-worker.ts';
import { diskIndexFiles } from '../../../src/content-search/ngram-index/storage/files-disk.ts';
import type { BuildJob, BuildOutcome, BuildProgress, IndexBuilder } from '../../../src/core/ports/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { buildSite, doJob, indexedTree, UNLIMITED } from '../../support/content/building.ts';
import { KEY_HASH } from '../../support/content/segments.ts';

let root: string;
let directory: string;
const builders: IndexBuilder[] = [];

/** Some batches of them. */
const FILES = 200;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-tree-'));
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(root, `${at}`), `file ${at}`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'writ-index-'));
});
afterEach(async () => {
  for (const builder of builders.splice(0)) await builder.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function started(more: Partial<Parameters<typeof createIndexBuilder>[0]> = {}): Promise<IndexBuilder> {
  const builder = createIndexBuilder({
    indexed: indexedTree(root),
    directory,
    keyHash: KEY_HASH.toString('hex'),
    pace: { timeoutMs: 60_000, maxCpuPercent: 100, throttleMs: 0 },
    shutdownTimeoutMs: 5000,
    limits: () => UNLIMITED,
    ...more,
  });
  builders.push(builder);
  await builder.start();
  return builder;
}

/** What a killed build leaves of itself, beside its runs. */
const LEFT = { run: [], half: ['.partial-base.seg'], whole: ['.partial-base.seg'], named: ['base.seg'] } as const;

/** So slow that it never ends by itself: it sleeps after each batch of files. */
const SLOW = { pace: { timeoutMs: 600_000, maxCpuPercent: 100, throttleMs: 60_000 } };
const build: BuildJob = { kind: 'build', into: { generation: 1, delta: 0 } };
const forever = new AbortController().signal;
const run = (builder: IndexBuilder, job: BuildJob, signal = forever, onProgress: (progress: BuildProgress) => void = () => undefined) =>
  builder.run(job, { signal, onProgress });

/** Begins a job. @returns its outcome, when its thread has told that it is at work */
async function atWork(builder: IndexBuilder, signal = forever): Promise<{ readonly outcome: Promise<BuildOutcome> }> {
  let begun = (): void => undefined;
  const isAtWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const outcome = run(builder, build, signal, () => begun());
  await isAtWork;
  return { outcome };
}

const threads = (): string[] => readdirSync('/proc/self/task');
const niceOf = (thread: string): number =>
  Number(
    readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[16],
  );

describe('the build thread', () => {
  it('builds, updates, validates, merges and checks on the disk, and tells how far it is', { tags: ['LSI-ST-10.2'] }, async () => {
    const builder = await started();
    const seen: BuildProgress[] = [];
    expect(await run(builder, build, forever, (progress) => seen.push(progress))).toMatchObject({ outcome: 'done', documents: FILES });
    expect(seen.at(-1)).toMatchObject({ phase: 'PERSIST', filesDone: FILES, filesTotal: FILES });
    mkdirSync(join(root, 'more'));
    writeFileSync(join(root, 'more/file'), 'text');
    const update: BuildJob = {
      kind: 'update',
      snapshot: { generation: 1, deltas: [] },
      entries: [{ path: 'more', kind: 'SUBTREE', seq: 1 }],
      into: { generation: 1, delta: 1 },
    };
    expect(await run(builder, update)).toMatchObject({ outcome: 'done', documents: 1 });
    const snapshot = { generation: 1, deltas: [1] };
    expect(await run(builder, { kind: 'check', snapshot })).toEqual({ outcome: 'checked', findings: [] });
    expect(await run(builder, { kind: 'merge', snapshot, from: 0, into: { generation: 2, delta: 0 } })).toMatchObject({
      outcome: 'done',
      documents: FILES + 1,
    });
    expect(await run(builder, { kind: 'measure', files: FILES, bytes: 1e9 })).toMatchObject({ outcome: 'measured', above: true });
    expect(readdirSync(join(directory, 'gen-1')).sort()).toEqual(['base.seg', 'delta-1.seg']);
    rmSync(join(root, 'more'), { recursive: true });
  });

  it('is nicer than the other threads of the process', { tags: ['FR-LSI-BG-30', 'LSI-BUD-GEN'] }, async () => {
    const known = new Set(threads());
    const before = niceOf(`${process.pid}`);
    const builder = await started(SLOW);
    const abort = new AbortController();
    const { outcome } = await atWork(builder, abort.signal);
    const begun = threads().filter((thread) => !known.has(thread));
    expect(begun.map(niceOf)).toContain(10);
    expect(niceOf(`${process.pid}`)).toBe(before);
    abort.abort();
    expect(await outcome).toEqual({ outcome: 'stopped' });
  });

  it('ends a job that sleeps at once when it is asked to, and takes the next one', { tags: ['FR-LSI-BG-40.2'] }, async () => {
    const builder = await started(SLOW);
    const abort = new AbortController();
    const { outcome } = await atWork(builder, abort.signal);
    abort.abort();
    expect(await outcome).toEqual({ outcome: 'stopped' });
    expect(readdirSync(directory)).toEqual([]);
    builder.setBoost(true);
    expect(await run(builder, build)).toMatchObject({ outcome: 'done' });
  });

  it('goes at full speed from the moment in which nobody searches', { tags: ['FR-LSI-BG-32'] }, async () => {
    const builder = await started(SLOW);
    const { outcome } = await atWork(builder);
    builder.setBoost(true);
    expect(await outcome).toMatchObject({ outcome: 'done' });
  });

  it('does one job at a time, and none before it is started or after it was stopped', async () => {
    const builder = await started(SLOW);
    const first = run(builder, build);
    expect(await run(builder, build)).toMatchObject({ outcome: 'failed' });
    await builder.stop();
    expect(await first).toEqual({ outcome: 'stopped' });
    expect(await run(builder, build)).toEqual({ outcome: 'stopped' });
  });

  it('tells what the disk refuses, and what there is no room for, as values', async () => {
    const broken = await started({ directory: join(directory, 'missing/deep/er') });
    expect(await run(broken, build)).toMatchObject({ outcome: 'failed' });
    const full = await started({ limits: () => ({ ...UNLIMITED, roomBytes: 10 }) });
    expect(await run(full, build)).toMatchObject({ outcome: 'over-budget', why: 'DISK' });
  });
});

describe('a process that is killed while it builds', () => {
  const POINTS = ['run', 'half', 'whole', 'named'] as const;
  const CHILD = new URL('../../fixtures/content-index/killed-build.ts', import.meta.url);

  it.each(POINTS)('leaves the index that was there as it was: %s', { tags: ['FR-LSI-BG-20.4', 'FR-LSI-IDX-CONC-03'] }, async (point) => {
    const site = buildSite(root, { index: diskIndexFiles({ directory, keyHash: KEY_HASH.toString('hex') }) });
    const old = { generation: 1, deltas: [] };
    expect(doJob(site, build)).toMatchObject({ outcome: 'done' });
    site.index.flip(old);
    const bytes = readFileSync(join(directory, 'gen-1/base.seg'));
    const child = spawn(process.execPath, scriptArgs(CHILD, [root, directory, point]), { stdio: 'inherit' });
    expect(await new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL');
    const left = readdirSync(join(directory, 'gen-2'));
    expect(left.filter((name) => !name.startsWith('runs-'))).toEqual(LEFT[point]);
    expect(left).toContain('runs-0');
    expect(site.index.current()).toEqual(old);
    expect(readFileSync(join(directory, 'gen-1/base.seg')).equals(bytes)).toBe(true);
    expect(doJob(site, { kind: 'check', snapshot: old })).toEqual({ outcome: 'checked', findings: [] });
    site.index.sweep(old);
    expect(readdirSync(directory).sort()).toEqual(['CURRENT', 'gen-1']);
    expect(doJob(site, { kind: 'build', into: { generation: 2, delta: 0 } })).toMatchObject({ outcome: 'done' });
  });
});
