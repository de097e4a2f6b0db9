import os from 'node:os';
import { compileDenied } from '../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs } from '../../src/content-search/enumerate/globs.ts';
import { nodeSearchFiles } from '../../src/content-search/io/tree/open.ts';
import { nodeSearchTree } from '../../src/content-search/io/tree/tree.ts';
import { runSearch } from '../../src/content-search/run/run-search.ts';
import { candidateFiles } from '../../src/content-search/search/candidate-files.ts';
import type { RunResult } from '../../src/content-search/search/types.ts';
import type { SearchBackend } from '../../src/core/ports/index.ts';
import type { Wanted } from './wanted.ts';

export interface Ours {
  readonly ms: number;
  readonly result: RunResult;
}

/** More than any tree has: the answer of the tool is bounded, the library beneath it is not. */
const ALL = 100_000_000;

const tree = nodeSearchTree();
const noGlobs = compileGlobs([]);
const nothingDenied = compileDenied([]);

/** One search of the library, from the walk to the last event in its place. */
export async function searchOurs(root: string, backend: SearchBackend, { pattern, fixedStrings }: Wanted, maxBytes?: number): Promise<Ours> {
  if (!noGlobs.ok) throw new Error(noGlobs.message);
  const { read: _, ...ways } = candidateFiles({
    ...{ root, follow: false, sandbox: { allowedRoots: [root], denied: nothingDenied } },
    ...{ tree, files: nodeSearchFiles(), confined: true },
  });
  const start = performance.now();
  const result = await runSearch({
    backend,
    query: { pattern, fixedStrings, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: ALL },
    cwd: root,
    files: enumerate(tree, {
      ...{ orderRoot: root, start: '', hidden: false, follow: false, noIgnore: false, globs: noGlobs.globs },
      ...{ denied: nothingDenied, allowedRoots: [root], globalIgnore: undefined },
    }),
    maxEvents: ALL,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    deadline: start + 600_000,
    now: () => performance.now(),
    signal: new AbortController().signal,
    lanes: Math.min(3, os.availableParallelism() + 1),
    ...ways,
  });
  return { ms: performance.now() - start, result };
}
