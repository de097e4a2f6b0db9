import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenCandidateIndex } from '../../../src/content-search/ngram-index/query/candidate-index.ts';
import { DEFAULT_DENIED_PATTERNS } from '../../../src/content-search/search/sandbox.ts';
import { createContentSearch } from '../../../src/content-search/search/search.ts';
import type { SearchBackend } from '../../../src/core/ports/index.ts';
import { processEntry } from '../../../src/core/process-entry.ts';
import { type HostProcess, hostsSettings, startHost, treesOf } from '../../support/content/index-host.ts';
import { patientLinks } from '../../support/content/index-links.ts';
import { depsOf, realBackends, temporaryDirectory } from '../../support/content/rig.ts';

const STABLE = 30;
let folder: string;
let root: string;
let progress: string;
let backend: SearchBackend;
let writer: ChildProcess;
let host: HostProcess;
let index: OpenCandidateIndex | undefined;

beforeAll(async () => {
  backend = (await realBackends()).rg;
  folder = temporaryDirectory('index-concurrent');
  root = path.join(folder, 'restless');
  progress = path.join(folder, 'progress');
  const [outside, cacheRoot] = [path.join(folder, 'outside'), path.join(folder, 'cache')];
  for (const directory of [root, outside]) mkdirSync(directory);
  mkdirSync(cacheRoot, { mode: 0o700 });
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(path.join(outside, name), 'needle SECRET\n');
  // Files that nobody touches: some have what is looked for.
  mkdirSync(path.join(root, 'quiet'));
  for (let number = 0; number < 10 * STABLE; number += 1) writeFileSync(path.join(root, 'quiet', `${number}.txt`), number % 10 === 0 ? 'a needle\n' : 'hay\n');
  const { file, execArgv } = processEntry(new URL('../../support/content/restless-tree.ts', import.meta.url));
  writer = fork(file, [root, outside, progress, 'calm'], { execArgv: [...execArgv] });
  await once(writer, 'message');
  const settings = hostsSettings(cacheRoot);
  const trees = treesOf(root, DEFAULT_DENIED_PATTERNS);
  host = await startHost({ settings, trees, backend: backend.kind });
  index = await patientLinks(settings, trees, backend);
});
afterAll(async () => {
  index?.close();
  await host.stop();
  writer.disconnect();
  await once(writer, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

/** The newest version that the writer has begun. */
const begun = (): number => Number(readFileSync(progress, 'utf8'));

describe('a search with the index in a tree that changes meanwhile', () => {
  it('gives lines of versions that lived meanwhile, and every file that nobody touched', { tags: ['FR-LSI-CAND-01'] }, async () => {
    if (index === undefined) throw new Error('there is no index');
    const tool = createContentSearch(depsOf({ root, backend, emitStats: true, index }));
    await host.until('COMPLETE');
    let excluding = 0;
    // Where the host is in the midst of a change, a search goes without it: it takes more of them until one is served.
    for (let turn = 0; turn < 30 || excluding === 0; turn += 1) {
      const oldest = begun() - 4;
      const outcome = await tool.search({ pattern: 'needle', max_results: 5_000 }, new AbortController().signal);
      const newest = begun();
      if (!outcome.ok) throw new Error(outcome.error.message);
      const { matches, stats } = outcome.answer;
      expect(matches.filter(({ data }) => data.path.text.startsWith('quiet/'))).toHaveLength(STABLE);
      for (const { data } of matches.filter(({ data: { path: at } }) => !at.text.startsWith('quiet/'))) {
        const [, version, name] = /^v(\d+) (\S+) needle/.exec(data.lines.text) ?? [];
        expect(data.path.text).toBe(`d${Number(version) % 4}/${name}`);
        expect(Number(version)).toBeGreaterThanOrEqual(oldest);
        expect(Number(version)).toBeLessThanOrEqual(newest);
      }
      if (stats?.index_exclusion_used === true) excluding += 1;
    }
  });
});
