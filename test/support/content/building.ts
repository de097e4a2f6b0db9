import { nodeTreeFiles } from '../../../src/content-search/io/tree/read.ts';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import type { IndexedTree } from '../../../src/content-search/ngram-index/build/indexed-tree.ts';
import { createPace, type PaceParts } from '../../../src/content-search/ngram-index/build/pace.ts';
import { runJob } from '../../../src/content-search/ngram-index/build/run-job.ts';
import { type BuildSite, createTables, type JobLimits } from '../../../src/content-search/ngram-index/build/site.ts';
import { memoryIndexFiles } from '../../../src/content-search/ngram-index/storage/files-memory.ts';
import type { BuildOutcome, BuildProgress } from '../../../src/core/ports/index.ts';
import { hasher, KEY_HASH } from './segments.ts';

export const UNLIMITED: JobLimits = { maxFiles: 0, maxBytes: 0, roomBytes: 2 ** 40, lastRatio: null };

export function indexedTree(root: string, more: Partial<IndexedTree> = {}): IndexedTree {
  return { root, hidden: true, noIgnore: false, denied: [], allowedRoots: [root], globalIgnore: null, ngramK: 3, maxTokenizedBytes: 4096, ...more };
}

export function buildSite(root: string, more: Partial<BuildSite> = {}): BuildSite {
  const indexed = more.indexed ?? indexedTree(root);
  return {
    tree: nodeSearchTree(),
    files: nodeTreeFiles(),
    index: memoryIndexFiles(),
    hasher,
    indexed,
    tables: createTables(indexed),
    keyHash: KEY_HASH,
    nowMs: Date.now,
    ...more,
  };
}

const AT_FULL_SPEED: PaceParts = { monotonicMs: () => 0, sleep: () => undefined, isStopped: () => false, isBoosted: () => true };

/** Does one job of a builder. */
export function doJob(
  site: BuildSite,
  job: Parameters<typeof runJob>[1],
  {
    limits,
    pace,
    onProgress = () => undefined,
  }: { limits?: Partial<JobLimits>; pace?: Partial<PaceParts>; onProgress?: (progress: BuildProgress) => void } = {},
): BuildOutcome {
  return runJob(
    {
      site,
      limits: { ...UNLIMITED, ...limits },
      pace: createPace({ timeoutMs: 1000, maxCpuPercent: 50, throttleMs: 10 }, { ...AT_FULL_SPEED, ...pace }),
      counted: { files: 0, bytes: 0 },
      onProgress,
    },
    job,
  );
}
