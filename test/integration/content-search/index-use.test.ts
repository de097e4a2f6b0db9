import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenCandidateIndex } from '../../../src/content-search/ngram-index/query/candidate-index.ts';
import { configuredIndexes, searchedTrees } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { ContentSearchAnswer, ContentSearchRequest, ContentSearchStats } from '../../../src/contracts/index.ts';
import type { ContentSearch, SearchBackend } from '../../../src/core/ports/index.ts';
import { type HostsUnderTest, hostsHere } from '../../support/content/index-damage-host.ts';
import { hostsSettings, treesOf } from '../../support/content/index-host.ts';
import { patientLinks } from '../../support/content/index-links.ts';
import { depsOf, realBackends, temporaryDirectory } from '../../support/content/rig.ts';

let folder: string;
let root: string;
let backends: Readonly<Record<'ugrep' | 'rg', SearchBackend>>;
let host: HostsUnderTest;
let index: OpenCandidateIndex;
let plain: ContentSearch;
let indexed: ContentSearch;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('index-use');
  root = path.join(folder, 'root');
  mkdirSync(path.join(folder, 'cache'), { mode: 0o700 });
  mkdirSync(path.join(root, 'src/deep'), { recursive: true });
  mkdirSync(path.join(root, 'src-other'));
  mkdirSync(path.join(root, '.hidden'));
  for (let number = 0; number < 40; number += 1)
    writeFileSync(path.join(root, 'src', `${number}.ts`), number % 8 === 0 ? 'a needle, a Needle\nneedless\n' : 'hay\n');
  writeFileSync(path.join(root, 'src/deep/needle.md'), 'needle\n');
  writeFileSync(path.join(root, 'src-other/needle.ts'), 'needle\n');
  writeFileSync(path.join(root, '.hidden/needle.ts'), 'needle\n');
  writeFileSync(path.join(root, 'line\nend.ts'), 'needle\n');
  const settings = hostsSettings(path.join(folder, 'cache'));
  const trees = treesOf(root, DEFAULT_DENIED_PATTERNS);
  host = await hostsHere(settings, trees, backends.rg);
  const opened = await patientLinks(settings, trees, backends.rg);
  if (opened === undefined) throw new Error('there is no index');
  index = opened;
  const deps = { root, backend: backends.rg, emitStats: true };
  plain = createContentSearch(depsOf(deps));
  indexed = createContentSearch(depsOf({ ...deps, index }));
  await host.settled('COMPLETE');
});
afterAll(async () => {
  index.close();
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Both ways; the answers are the same but for the stats of the one with the index, which are given. */
async function both(request: ContentSearchRequest): Promise<{ readonly answer: ContentSearchAnswer; readonly stats: ContentSearchStats }> {
  const signal = new AbortController().signal;
  const without = await plain.search(request, signal);
  const withIndex = await indexed.search(request, signal);
  if (!without.ok || !withIndex.ok) throw new Error(JSON.stringify([without, withIndex]));
  const { stats, ...answer } = withIndex.answer;
  const { stats: _, ...expected } = without.answer;
  expect(answer).toEqual(expected);
  if (stats === undefined) throw new Error('no stats');
  return { answer: withIndex.answer, stats };
}

const pathsOf = ({ matches }: ContentSearchAnswer): readonly string[] => [...new Set(matches.map(({ data }) => data.path.text))];

describe('a search that an index serves', () => {
  it('reads only files that can match, and says so', { tags: ['NFR-LSI-PERF-02', 'FR-LSI-STAT-02.18', 'LSI-GOAL-01'] }, async () => {
    const { answer, stats } = await both({ pattern: 'needle' });
    expect(pathsOf(answer)).toHaveLength(8);
    expect(stats).toMatchObject({ index_exclusion_used: true, index_bypass: null, fallback_used: false, fallback_reason: null });
    expect(stats).toMatchObject({ candidates_total: 43, candidates_excluded: 35, candidates_scanned: 8 });
  });

  it('filters by glob when it asks, without another index', { tags: ['FR-LSI-IDX-KEY-01a.2'] }, async () => {
    const { answer, stats } = await both({ pattern: 'needle', glob: ['*.md'] });
    expect(pathsOf(answer)).toEqual(['src/deep/needle.md']);
    expect(stats).toMatchObject({ index_exclusion_used: true, candidates_total: 1 });
  });

  it('looks up either case of letters in the same index', { tags: ['FR-LSI-IDX-KEY-01a.3'] }, async () => {
    for (const [pattern, sensitivity, files] of [
      ['Needle,', 'sensitive', 0],
      ['NEEDLE', 'insensitive', 8],
      ['Needle', 'smart', 5],
    ] as const) {
      const { answer, stats } = await both({ pattern, case: sensitivity });
      expect(stats).toMatchObject({ index_exclusion_used: true, index_bypass: null });
      expect(pathsOf(answer)).toHaveLength(files);
    }
  });

  it('takes literal text as such in every mode that means it: fixed, whole words, plain', { tags: ['FR-LSI-IDX-KEY-01a.4'] }, async () => {
    for (const mode of [{}, { fixed_strings: true }, { word_regexp: true }, { fixed_strings: true, word_regexp: true }]) {
      const { stats } = await both({ pattern: 'needless', ...mode });
      expect(stats).toMatchObject({ index_exclusion_used: true, candidates_scanned: 6 });
    }
  });

  it('looks only beneath the path of the request, by whole names', { tags: ['FR-LSI-IDX-SCOPE-01'] }, async () => {
    expect(pathsOf((await both({ pattern: 'needle', path: 'src-other' })).answer)).toEqual(['src-other/needle.ts']);
    const { answer, stats } = await both({ pattern: 'needle', path: 'src' });
    expect(pathsOf(answer)).not.toContain('src-other/needle.ts');
    expect(stats).toMatchObject({ index_exclusion_used: true, candidates_total: 41 });
  });

  it('is cut at the same event whatever was left out, at every limit', { tags: ['FR-LSI-STABLE-01.1', 'FR-LSI-STABLE-01.2', 'LSI-DEF-03'] }, async () => {
    for (let most = 1; most <= 14; most += 1) {
      const { answer, stats } = await both({ pattern: 'needle', max_results: most, context: most % 2 });
      expect(answer.count).toBe(Math.min(most, answer.count));
      expect(stats.index_exclusion_used).toBe(true);
    }
  });

  it('searches files with a line end in their name always; they keep no index from being complete', {
    tags: ['FR-LSI-BE-UG-03.1', 'FR-LSI-BE-UG-03.3'],
  }, async () => {
    const { answer } = await both({ pattern: 'needle' });
    expect(pathsOf(answer)).toContain('line\nend.ts');
    const { stats } = await both({ pattern: 'not there at all' });
    // It is the one that nothing is known of.
    expect(stats).toMatchObject({ index_safety_state: 'COMPLETE', candidates_scanned: 1 });
  });

  it.each([
    ['hidden files', { hidden: true }, 'OPTIONS'],
    ['followed links', { follow: true }, 'OPTIONS'],
    ['ignored files', { no_ignore: true }, 'OPTIONS'],
    ['one file', { path: 'src/0.ts' }, 'START'],
    ['a hidden directory', { path: '.hidden' }, 'START'],
  ] as const)(
    'does not use it for %s, which it does not know',
    { tags: ['FR-LSI-IDX-SCHED-04', 'FR-LSI-STABLE-02', 'LSI-DEF-02'] },
    async (_, options, why) => {
      const { stats } = await both({ pattern: 'needle', ...options });
      expect(stats).toMatchObject({ index_exclusion_used: false, index_bypass: why, candidates_excluded: 0 });
    },
  );

  it('is one for each root, without hidden files, links and what is ignored, whatever is asked for', { tags: ['FR-LSI-IDX-SCHED-01'] }, () => {
    const roots = [root, path.join(root, 'src')];
    const trees = { ...treesOf(root, []), roots };
    const indexes = configuredIndexes(hostsSettings(path.join(folder, 'cache')), trees, backends.rg);
    const canonical = { hidden: false, follow: false, noIgnore: false };
    expect(indexes).toMatchObject(
      roots.map((one) => ({ indexed: { root: one, hidden: false, noIgnore: false }, spec: { key: { rootPath: one, ...canonical } } })),
    );
    expect(new Set(indexes.map(({ keyHash }) => keyHash)).size).toBe(2);
  });

  it('does not use an index of another backend, nor of another root; nothing spans two roots', {
    tags: ['FR-LSI-IDX-ROOT-02.2', 'FR-LSI-IDX-ROOT-02.3', 'FR-LSI-IDX-SCOPE-02.1', 'FR-LSI-IDX-SCOPE-02.2'],
  }, async () => {
    const signal = new AbortController().signal;
    const other = createContentSearch(depsOf({ root, backend: backends.ugrep, emitStats: true, index }));
    const answered = await other.search({ pattern: 'needle' }, signal);
    expect(answered.ok && answered.answer.stats).toMatchObject({ index_bypass: 'BACKEND', fallback_reason: 'CAPABILITY_MISSING' });
    const elsewhere = createContentSearch(depsOf({ root: path.join(root, 'src'), backend: backends.rg, emitStats: true, index }));
    const found = await elsewhere.search({ pattern: 'needle' }, signal);
    expect(found.ok && found.answer.stats).toMatchObject({ index_bypass: 'NO_ROOT', index_exclusion_used: false });
    const settings = hostsSettings(path.join(folder, 'cache'));
    const keys = [root, path.join(root, 'src')].map((one) => configuredIndexes(settings, treesOf(one, []), backends.rg)[0]?.keyHash);
    expect(new Set(keys).size).toBe(2);
    const outside = await indexed.search({ pattern: 'needle', path: '../cache' }, signal);
    expect(outside.ok).toBe(false);
  });
});

describe('what an index leaves behind', () => {
  it('is no contents of files, and nothing in the tree', {
    tags: ['FR-LSI-IDX-STOR-03.1', 'FR-LSI-IDX-STOR-03.2', 'FR-LSI-CACHE-ROOT-03', 'LSI-GOAL-02', 'LSI-TM-02'],
  }, async () => {
    const names = readdirSync(root, { recursive: true });
    await both({ pattern: 'needle' });
    expect(readdirSync(root, { recursive: true })).toEqual(names);
    const cache = path.join(folder, 'cache');
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) expect(readFileSync(path.join(parentPath, name)).includes('a needle, a Needle')).toBe(false);
  });

  it('is said in the stats of each search, with the reason why it is where it is', { tags: ['FR-LSI-STOR-FALLBACK-01.4', 'FR-LSI-STAT-02.6'] }, async () => {
    const settings = hostsSettings(path.join(folder, 'cache'), { storageMode: 'memory', storageFallback: 'PERMISSION_DENIED' });
    const links = await patientLinks(settings, treesOf(root, DEFAULT_DENIED_PATTERNS), backends.rg);
    if (links === undefined) throw new Error('there is no index');
    const tool = createContentSearch(depsOf({ root, backend: backends.rg, emitStats: true, index: links }));
    const answered = await tool.search({ pattern: 'needle' }, new AbortController().signal);
    links.close();
    expect(answered.ok && answered.answer.stats).toMatchObject({ storage_mode: 'memory', storage_fallback_reason: 'PERMISSION_DENIED' });
  });
});

describe('index roots', () => {
  const settings = { includeDefaultDenies: true, deniedPatterns: [], globalIgnoreFile: '' };

  it('are those of the settings, or the first allowed root', { tags: ['FR-LSI-IDX-ROOT-01.1', 'FR-LSI-IDX-ROOT-01.2', 'FR-LSI-BG-03'] }, () => {
    const [src, other] = [path.join(root, 'src'), path.join(root, 'src-other')];
    expect(searchedTrees({ ...settings, allowedRoots: [root, src], indexRoots: [src, other] })).toMatchObject({
      roots: [src, other],
      indexRoots: [src, other],
    });
    expect(searchedTrees({ ...settings, allowedRoots: [root, src], indexRoots: [] })).toMatchObject({ roots: [root], indexRoots: [] });
  });

  it('are no other directories while those of the settings are away; an allowed root keeps its place, as far as its path leads', () => {
    const [src, away] = [path.join(root, 'src'), path.join(root, 'away', 'deeper')];
    const link = path.join(folder, 'link-to-root');
    symlinkSync(root, link);
    const linked = path.join(link, 'away', 'deeper');
    expect(searchedTrees({ ...settings, allowedRoots: [linked, src], indexRoots: [] })).toMatchObject({ allowedRoots: [away, src], roots: [], indexRoots: [] });
    expect(searchedTrees({ ...settings, allowedRoots: [src, away], indexRoots: [away] })).toMatchObject({
      allowedRoots: [src, away],
      roots: [],
      indexRoots: [],
    });
    expect(searchedTrees({ ...settings, allowedRoots: [root, src], indexRoots: [away, src] })).toMatchObject({ roots: [src], indexRoots: [src] });
  });
});

describe('a tree that an index is not worth', () => {
  it('has none in mode auto until it has grown; each start measures it anew', {
    tags: ['FR-LSI-BG-05.3', 'FR-LSI-BG-06.1', 'FR-LSI-BG-06.3', 'FR-LSI-IDX-01', 'FR-LSI-IDX-03', 'FR-LSI-IDX-04', 'CFG-LSI-IDX-02'],
  }, async () => {
    const tree = path.join(folder, 'small');
    mkdirSync(tree);
    writeFileSync(path.join(tree, 'one.txt'), 'needle\n');
    const cache = path.join(folder, 'cache-auto');
    mkdirSync(cache, { mode: 0o700 });
    const base = hostsSettings(cache);
    const auto = { ...base, mode: 'auto', host: { ...base.host, mode: 'auto', autoThresholdFiles: 3, autoThresholdBytes: 1_000_000 } } as const;
    const first = await hostsHere(auto, treesOf(tree, []), backends.rg);
    await first.settled('DISABLED/BELOW_THRESHOLD');
    expect(await first.search('needle')).toMatchObject({ index_safety_state: 'DISABLED', index_exclusion_used: false });
    await first.stop();
    for (let number = 0; number < 5; number += 1) writeFileSync(path.join(tree, `${number}.txt`), 'hay\n');
    const second = await hostsHere(auto, treesOf(tree, []), backends.rg);
    await second.settled('COMPLETE');
    await second.stop();
    rmSync(path.join(tree, '4.txt'));
    // The same thresholds, which mode on does not regard.
    const always = await hostsHere({ ...auto, mode: 'on', host: { ...auto.host, mode: 'on', autoThresholdFiles: 1_000 } }, treesOf(tree, []), backends.rg);
    await always.settled('COMPLETE');
    await always.stop();
  });
});

describe('changes', () => {
  it('of a file are seen by the next search, and then by the index', { tags: ['NFR-LSI-PERF-01', 'FR-LSI-REC-03'] }, async () => {
    writeFileSync(path.join(root, 'src/1.ts'), 'a fresh straw\n');
    expect(pathsOf((await both({ pattern: 'fresh straw' })).answer)).toEqual(['src/1.ts']);
    await host.happened(() => host.events.some((event) => event.kind === 'task' && event.task === 'update' && event.outcome === 'done'));
    const { answer, stats } = await both({ pattern: 'fresh straw' });
    expect(pathsOf(answer)).toEqual(['src/1.ts']);
    expect(stats).toMatchObject({ index_exclusion_used: true, candidates_scanned: 2 });
  });

  it('of names are seen at both of them', { tags: ['FR-LSI-TRK-09.1'] }, async () => {
    renameSync(path.join(root, 'src/deep'), path.join(root, 'src/moved'));
    expect(pathsOf((await both({ pattern: 'needle' })).answer)).toContain('src/moved/needle.md');
    await host.settled('COMPLETE');
    expect((await both({ pattern: 'needle' })).stats.index_safety_state).toBe('COMPLETE');
  });

  it('of an ignore file put the index in doubt, and nothing is left out until it was compared with the tree', {
    tags: ['FR-LSI-TRK-07.1', 'FR-LSI-TRK-07.2', 'FR-LSI-REC-01', 'FR-LSI-BG-10.2', 'FR-LSI-IDX-05'],
  }, async () => {
    const seen = host.events.length;
    writeFileSync(path.join(root, '.gitignore'), 'src-other\n');
    const { answer, stats } = await both({ pattern: 'needle' });
    expect(pathsOf(answer)).not.toContain('src-other/needle.ts');
    expect(stats).toMatchObject({ index_exclusion_used: false, fallback_reason: 'INDEX_UNAVAILABLE' });
    await host.happened(() => host.events.slice(seen).some((event) => event.kind === 'state' && event.after.state === 'COMPLETE'));
    const doubts = host.events.slice(seen).flatMap((event) => (event.kind === 'state' && event.after.reason !== null ? [event.after.reason] : []));
    expect(doubts).toContain('ELIGIBILITY_CHANGED');
    expect((await both({ pattern: 'needle' })).stats).toMatchObject({ index_safety_state: 'COMPLETE', index_exclusion_used: true });
  });
});
