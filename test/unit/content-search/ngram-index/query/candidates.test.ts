import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDenied } from '../../../../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../../../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs, type Globs } from '../../../../../src/content-search/enumerate/globs.ts';
import { nodeSearchTree } from '../../../../../src/content-search/io/tree/tree.ts';
import { type IndexedTree, walkTree } from '../../../../../src/content-search/ngram-index/build/indexed-tree.ts';
import { candidatesOf, indexedFiles, walkOverlay } from '../../../../../src/content-search/ngram-index/query/candidates.ts';
import { isInCatalog } from '../../../../../src/content-search/ngram-index/query/scope.ts';
import type { Snapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import { bytePath } from '../../../../../src/content-search/ngram-index/segment/path-order.ts';
import type { Candidate, Enumeration, Warning } from '../../../../../src/content-search/search/types.ts';
import type { SearchTree } from '../../../../../src/core/ports/index.ts';
import { GLOBS, plantTree } from '../../../../support/content/random-tree.ts';
import { askedPath, GRAMS, inKeyOrder, liveOf, openedOf, planted, type SnapshotModel, snapshotModel } from '../../../../support/content/snapshots.ts';
import { cases } from '../../../../support/oracle-runs.ts';
import { createRandom, type Random } from '../../../../support/random.ts';

const groups = fc.array(fc.uniqueArray(fc.constantFrom(...GRAMS, 'qqq'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
const place = fc.record({ path: askedPath, kind: fc.constantFrom('file' as const, 'directory' as const) });
type Place = { readonly path: string; readonly kind: 'file' | 'directory' };

const isAt = (path: string, at: Place): boolean => (at.kind === 'file' ? path === at.path : at.path === '' || path.startsWith(`${at.path}/`));

/** By definition, without stopping at short lists. */
function expected(model: SnapshotModel, asked: readonly (readonly string[])[], at: Place): string[] {
  const can = [...liveOf(model).values()].filter(({ kind, grams }) => kind === 'always' || asked.every((group) => group.some((gram) => grams.includes(gram))));
  return inKeyOrder(can.map(({ path }) => path).filter((path) => isAt(path, at)));
}

function found(snapshot: Snapshot, asked: readonly (readonly string[])[], at: Place, most = Number.POSITIVE_INFINITY): readonly string[] {
  const answer = candidatesOf(snapshot, { groups: asked, most }, at);
  if (!answer.ok) throw new Error(answer.message);
  return answer.paths;
}

describe('candidates', () => {
  it('of one group are exactly those that a naive look finds, whatever later segments hide', { tags: ['FR-LSI-CAND-01'] }, () => {
    fc.assert(
      fc.property(snapshotModel, groups, place, (model, [group = []], at) => {
        const { files, id } = planted(model);
        expect(found(openedOf(files, id), [group], at)).toEqual(expected(model, [group], at));
      }),
      { numRuns: cases(20) },
    );
  });

  it('of several groups are never too few, in key order, each once, and none that does not count', () => {
    fc.assert(
      fc.property(snapshotModel, groups, place, fc.integer({ min: 1, max: 4 }), (model, asked, at, most) => {
        const { files, id } = planted(model);
        const snapshot = openedOf(files, id);
        const paths = found(snapshot, asked, at, most);
        expect(paths).toEqual(inKeyOrder(new Set(paths)));
        expect(paths).toEqual(expect.arrayContaining(expected(model, asked, at)));
        const live = liveOf(model);
        expect(paths.filter((path) => !live.has(path) || !isAt(path, at))).toEqual([]);
        expect(snapshot.live).toBe(live.size);
        expect(snapshot.live + snapshot.dead).toBe(model.flat().length);
      }),
      { numRuns: cases(20) },
    );
  });

  it('are narrowed by further groups for as long as they are many', { tags: ['LSI-GOAL-01'] }, () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = createRandom(seed);
      const kind = 'plain' as const;
      const model = [Array.from({ length: 2_000 }, (_, i) => ({ path: `f${i}`, grams: GRAMS.filter((_gram, at) => random.chance(0.3 + at / 10)), kind }))];
      const { files, id } = planted(model);
      const asked = Array.from({ length: 3 }, () => [random.pick(GRAMS), random.pick(GRAMS)]);
      const paths = found(openedOf(files, id), asked, { path: '', kind: 'directory' }, 6);
      const right = expected(model, asked, { path: '', kind: 'directory' });
      if (right.length >= 64) expect(paths).toEqual(right);
      else expect(paths).toEqual(expect.arrayContaining(right));
    }
  });

  it('know whether the catalogue has a file, or anything beneath a directory', () => {
    fc.assert(
      fc.property(snapshotModel, place, (model, at) => {
        const { files, id } = planted(model);
        const any = [...liveOf(model).keys()].some((path) => isAt(path, at));
        expect(isInCatalog(openedOf(files, id), at)).toEqual({ ok: true, value: any });
      }),
      { numRuns: cases(20) },
    );
  });
});

const NO_OVERLAY = { files: [], subtrees: [] };
const bytesOf = ({ text, raw }: Candidate): string => bytePath(raw ?? text);

function allOf(files: Enumeration, limit: number): Candidate[] {
  const all: Candidate[] = [];
  for (let piece = files.next(limit); piece.length > 0; piece = files.next(limit)) all.push(...piece);
  return all;
}

function globsOf(globs: readonly string[]): Globs {
  const compiled = compileGlobs(globs);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.globs;
}

const treeAt = (root: string, hidden: boolean): IndexedTree => ({
  root,
  hidden,
  noIgnore: false,
  denied: [],
  allowedRoots: [root],
  globalIgnore: null,
  ngramK: 3,
  maxTokenizedBytes: 1,
});

/** What a search without an index looks into. */
function walked({ root, hidden, noIgnore, allowedRoots }: IndexedTree, start: string | Buffer, globs: Globs): Candidate[] {
  const options = { orderRoot: root, start, hidden, follow: false, noIgnore, globs, denied: compileDenied([]), allowedRoots, globalIgnore: undefined };
  return allOf(enumerate(nodeSearchTree(), options), 100);
}

/** The whole tree, one of its directories, or one of its files. */
function placeIn(random: Random, files: readonly Candidate[]): string | Buffer {
  if (files.length === 0 || random.chance(0.3)) return '';
  const { text, raw } = random.pick(files);
  const names = (raw ?? Buffer.from(text)).toString('latin1').split('/');
  const bytes = Buffer.from(names.slice(0, 1 + random.integer(names.length)).join('/'), 'latin1');
  return raw === undefined ? bytes.toString() : bytes;
}

const isBeneath = (path: string, at: string): boolean => at === '' || path === at || path.startsWith(`${at}/`);

describe('the files of a search with an index', () => {
  it('are those that a walk with the same globs from the same place finds, in its order', { tags: ['FR-LSI-STABLE-01.1'] }, () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = createRandom(seed);
      const root = mkdtempSync(join(tmpdir(), 'writ-indexed-files-'));
      try {
        plantTree(random, root);
        const tree = treeAt(root, random.chance(0.5));
        const everything = allOf(walkTree(nodeSearchTree(), tree), 100);
        for (let round = 0; round < 6; round += 1) {
          const start = placeIn(random, everything);
          const globs = globsOf(Array.from({ length: random.integer(4) }, () => random.pick(GLOBS)));
          const there = everything.filter((file) => isBeneath(bytesOf(file), bytePath(start)));
          const files = there.map(bytesOf).filter(() => random.chance(0.2));
          const subtrees = there.flatMap((file) => (random.chance(0.1) ? [bytesOf(file).split('/').slice(0, 1).join('/')] : []));
          const overlay = random.chance(0.3) ? NO_OVERLAY : { files: [...files, 'not/there'], subtrees };
          const isChanged = (path: string): boolean => overlay.files.includes(path) || overlay.subtrees.some((each) => isBeneath(path, each));
          const stale = overlay === NO_OVERLAY ? [] : there.filter(() => random.chance(0.3)).map((file) => bytesOf(file));
          const found = indexedFiles({
            paths: there.map(bytesOf).filter((path) => !isChanged(path) || stale.includes(path)),
            overlay,
            walked: there.filter((file) => isChanged(bytesOf(file))),
            globs,
            start,
          });
          const context = JSON.stringify({ seed, start: start.toString(), overlay });
          expect(allOf(found, 1 + random.integer(5)), context).toEqual(walked(tree, start, globs));
          expect(found.warnings).toEqual([]);
        }
      } finally {
        rmSync(root, { recursive: true });
      }
    }
  });

  it('leave out what the index has of a changed part, and of a file that has become a directory', () => {
    const paths = ['a/b', 'c', 'c0', 'd/e'];
    const files = indexedFiles({ paths, overlay: { files: ['c'], subtrees: ['a'] }, walked: [{ text: 'a/x', raw: undefined }], globs: globsOf([]), start: '' });
    expect(allOf(files, 10).map(({ text }) => text)).toEqual(['a/x', 'c0', 'd/e']);
    const gone = indexedFiles({ paths, overlay: { files: [], subtrees: ['c', 'd/e'] }, walked: [], globs: globsOf([]), start: '' });
    expect(allOf(gone, 1).map(({ text }) => text)).toEqual(['a/b', 'c0']);
    const all = indexedFiles({ paths, overlay: { files: [], subtrees: [''] }, walked: [], globs: globsOf([]), start: '' });
    expect(allOf(all, 1)).toEqual([]);
  });

  it('are not narrowed by globs that speak of the place itself or of what is above it', () => {
    const root = mkdtempSync(join(tmpdir(), 'writ-indexed-files-'));
    try {
      mkdirSync(join(root, 'build/lib'), { recursive: true });
      for (const file of ['build/a.txt', 'build/lib/b.txt', 'build/lib/c.log']) writeFileSync(join(root, file), 'x');
      const paths = ['build/a.txt', 'build/lib/b.txt', 'build/lib/c.log'];
      for (const [start, globs] of [
        ['build', ['!build']],
        ['build/lib', ['!build', '!lib']],
        ['build/lib', ['!lib/', '*.txt']],
        ['build', ['!lib/', '*.txt']],
      ] as const) {
        const compiled = globsOf(globs);
        const beneath = paths.filter((path) => isBeneath(path, start));
        const found = indexedFiles({ paths: beneath, overlay: NO_OVERLAY, walked: [], globs: compiled, start });
        expect(allOf(found, 10)).toEqual(walked(treeAt(root, false), start, compiled));
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

/** Nothing is listed: what a walk gives is told by the test. */
const TREE: SearchTree = { list: () => [], readSmall: () => ({ refused: 'ENOENT' }), resolve: () => ({ refused: 'ENOENT' }) };
const BUDGET = { fraction: 0.25, maxMs: 60_000, maxFiles: 1_000 };

interface Walk {
  readonly files: number;
  /** Of the clock, for each piece. */
  readonly msPerPiece?: number;
  readonly warnings?: readonly Warning[];
}

function walk({ files, msPerPiece = 0, warnings = [] }: Walk, budget = BUDGET, timeoutMs = 1_000, overlay = { files: ['a'], subtrees: [] as string[] }) {
  let [now, left] = [0, files];
  let pieces = 0;
  const ask = {
    root: { directory: '/srv' },
    query: { timeoutMs },
    walk: () => ({
      warnings,
      next(limit: number): readonly Candidate[] {
        now += msPerPiece;
        pieces += 1;
        const piece = Math.min(limit, left);
        left -= piece;
        return Array.from({ length: piece }, (_, at) => ({ text: `f${left + at}`, raw: undefined }));
      },
    }),
  };
  const answer = walkOverlay(ask, TREE, { overlay }, budget, () => now);
  return { answer: typeof answer === 'string' ? answer : answer.length, now, pieces };
}

describe('changes that a search looks at itself', () => {
  it('are all seen when there is time', () => {
    expect(walk({ files: 700 })).toMatchObject({ answer: 700 });
  });

  it('cost nothing when there are none', () => {
    expect(walk({ files: 5, msPerPiece: 1_000 }, BUDGET, 1_000, { files: [], subtrees: [] })).toEqual({ answer: 0, now: 0, pieces: 0 });
  });

  it('may take the share of the time limit that the settings say, and then the search goes without the index', {
    tags: ['FR-LSI-BUD-MAINT-01', 'FR-LSI-BUD-02.2', 'FR-LSI-BUD-MAINT-02', 'FR-LSI-BUD-03', 'NFR-LSI-PERF-03', 'LSI-ST-26', 'LSI-ENUM-11'],
  }, () => {
    expect(walk({ files: 900, msPerPiece: 40 })).toMatchObject({ answer: 900, now: 200 });
    expect(walk({ files: 900, msPerPiece: 100 })).toMatchObject({ answer: 'BUDGET', now: 300 });
    expect(walk({ files: 900, msPerPiece: 100 }, BUDGET, 4_000)).toMatchObject({ answer: 900 });
    expect(walk({ files: 1 }, { ...BUDGET, fraction: 0 })).toMatchObject({ answer: 'BUDGET', pieces: 0 });
  });

  it('may take no longer than reconcile_max_ms and be no more than reconcile_max_files', {
    tags: ['LSI-CFG-10', 'FR-LSI-BUD-MAINT-03', 'FR-LSI-BUD-02.1', 'FR-LSI-BUD-02.4'],
  }, () => {
    expect(walk({ files: 900, msPerPiece: 100 }, { ...BUDGET, maxMs: 150 }, 4_000)).toMatchObject({ answer: 'BUDGET', now: 200 });
    expect(walk({ files: 1_000 })).toMatchObject({ answer: 1_000 });
    expect(walk({ files: 1_001 })).toMatchObject({ answer: 'BUDGET' });
  });

  it('must all be readable', () => {
    expect(walk({ files: 1, warnings: [{ before: 0, line: 'd: EACCES' }] })).toMatchObject({ answer: 'OVERLAY' });
  });
});
