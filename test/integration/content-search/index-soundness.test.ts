import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { letterFolding } from '../../../src/content-search/io/backend/letter-folding.ts';
import { candidatesOf } from '../../../src/content-search/ngram-index/query/candidates.ts';
import { liveDocuments } from '../../../src/content-search/ngram-index/query/live.ts';
import { queryPlan } from '../../../src/content-search/ngram-index/query/query-plan.ts';
import { openSnapshot } from '../../../src/content-search/ngram-index/query/snapshot.ts';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { buildSite, doJob, indexedTree } from '../../support/content/building.ts';
import { randomExpression } from '../../support/content/random-expression.ts';
import { plantTree, randomText } from '../../support/content/random-tree.ts';
import { realBackends, searching, temporaryDirectory } from '../../support/content/rig.ts';
import { createRandom } from '../../support/random.ts';

/** The long suite `content-index` compares ten thousand searches with the index and without. */
const TREES = 5;
const SEARCHES_PER_TREE = 12;
let backends: Readonly<Record<BackendKind, SearchBackend>>;
let folder: string;

beforeAll(async () => {
  backends = await realBackends();
  folder = temporaryDirectory('index-soundness');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files that the index leaves out of a search, each under a name that no rule speaks about. */
function excludedFiles(root: string, kept: readonly string[], all: readonly Buffer[], into: string): number {
  mkdirSync(into);
  const candidates = new Set(kept);
  const excluded = all.filter((file) => !candidates.has(file.toString('latin1')));
  for (const [at, file] of excluded.entries()) copyFileSync(Buffer.concat([Buffer.from(`${root}/`), file]), path.join(into, `${at}.txt`));
  return excluded.length;
}

describe('every file that the index leaves out', () => {
  it.each(['ugrep', 'rg'] as const)('is one in which %s finds nothing', { tags: ['T-LSI-BLOOM-02'] }, async (kind) => {
    const backend = backends[kind];
    const letters = letterFolding(backend);
    let excluded = 0;
    for (let tree = 0; tree < TREES; tree += 1) {
      const random = createRandom(100 + tree);
      const root = path.join(folder, `${kind}-${tree}`);
      mkdirSync(root);
      plantTree(random, root);
      const site = buildSite(root, { indexed: indexedTree(root, { noIgnore: true }) });
      doJob(site, { kind: 'build', into: { generation: 1, delta: 0 } });
      const opened = openSnapshot(site.index, { generation: 1, deltas: [] }, site, site.hasher);
      if (!opened.ok) throw new Error(opened.message);
      const all = Array.from(liveDocuments(opened.snapshot), ({ document }) => document.path);
      for (let search = 0; search < SEARCHES_PER_TREE; search += 1) {
        const [text, ignoreCase, fixedStrings] = [randomText(random) + randomText(random), random.chance(0.5), random.chance(0.5)];
        const pattern = fixedStrings ? text : randomExpression(random, text);
        const folding = { strategy: backend.folding, provenBeyondAscii: false, asked: await letters(pattern, fixedStrings) };
        const plan = queryPlan({ pattern, fixedStrings, ignoreCase, fuzzy: 0 }, folding, 3);
        if ('bypass' in plan || pattern === '') continue;
        const found = candidatesOf(opened.snapshot, plan, { path: '', kind: 'directory' });
        if (!found.ok) throw new Error(found.message);
        const copies = path.join(folder, `${kind}-${tree}-${search}`);
        excluded += excludedFiles(root, found.paths, all, copies);
        const outcome = await searching({ root: copies, backend }, { pattern, fixed_strings: fixedStrings, case: ignoreCase ? 'insensitive' : 'sensitive' });
        if (outcome.ok) expect({ pattern, matches: outcome.answer.matches }).toEqual({ pattern, matches: [] });
        else expect(outcome.error).toMatchObject({ code: 'BadArgs', field: 'pattern' });
      }
      opened.snapshot.close();
    }
    expect(excluded).toBeGreaterThan(50);
  });
});
