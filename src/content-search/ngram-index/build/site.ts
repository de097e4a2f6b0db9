import type { BuildPhase, BuildProgress, IndexFiles, SearchTree, TreeFiles } from '../../../core/ports/index.ts';
import type { Candidate, Enumeration } from '../../search/types.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { createTokenizer, type Tokens } from '../tokenize/tokenizer.ts';
import { filesOf } from './differences.ts';
import { createGramPairs, type GramPairs } from './gram-pairs.ts';
import { type IndexedTree, walkTree } from './indexed-tree.ts';
import type { Pace } from './pace.ts';
import type { DocumentReader } from './read-document.ts';

/** What all jobs of one index work with. */
export interface BuildSite {
  readonly tree: SearchTree;
  readonly files: TreeFiles;
  readonly index: IndexFiles;
  readonly hasher: Hasher;
  readonly indexed: IndexedTree;
  /** Of this tree. */
  readonly tables: BuildTables;
  /** SHA-256 of the index key. */
  readonly keyHash: Buffer;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Bytes of lists that are held in memory; a fixed number without. */
  readonly maxRunBytes?: number;
}

/** What is large to make and serves one job after the other. */
export interface BuildTables {
  readonly tokenize: (bytes: Uint8Array) => Tokens;
  readonly pairs: GramPairs;
}

export function createTables({ ngramK, maxTokenizedBytes }: IndexedTree): BuildTables {
  return { tokenize: createTokenizer({ ngramK, maxTokenizedBytes }), pairs: createGramPairs(ngramK) };
}

/** What a job may take at most; 0 files or bytes are no limit (FR-LSI-BUD-05). */
export interface JobLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** Bytes that a segment may have. */
  readonly roomBytes: number;
  /** Index bytes by eligible bytes of the last build here, for the estimate. */
  readonly lastRatio: number | null;
}

/** One job under way. */
export interface JobRun {
  readonly site: BuildSite;
  readonly limits: JobLimits;
  readonly pace: Pace;
  readonly onProgress: (progress: BuildProgress) => void;
  /** What the job has counted of the tree so far. */
  readonly counted: { files: number; bytes: number };
}

export function readerOf({ files, indexed: { root, maxTokenizedBytes }, nowMs, tables: { tokenize } }: BuildSite): DocumentReader {
  return { root, files, nowMs, maxTokenizedBytes, tokenize };
}

/** A walk that ends the job when it is to end: it never ends early and looks complete. */
export function walkOf({ site, pace }: JobRun, tree: SearchTree = site.tree): Enumeration {
  return walkTree(tree, site.indexed, () => {
    pace.check();
    return false;
  });
}

/** Files between two reports. */
const REPORT_FILES = 256;

/** Files that are a step of the pace: to look at one is a small part of the work of reading it, which is a step of its own. */
const STEP_FILES = 16;

/** The files of a walk at the pace of the job, which is told how far they are. */
export function* pacedFiles(run: JobRun, walk: Enumeration, phase: BuildPhase, filesTotal: number, bytesDone: () => number): Generator<Candidate> {
  let filesDone = 0;
  for (const candidate of filesOf(walk)) {
    if (filesDone % STEP_FILES === 0) run.pace.step();
    else run.pace.check();
    yield candidate;
    filesDone += 1;
    if (filesDone % REPORT_FILES === 0) run.onProgress({ phase, filesDone, filesTotal, bytesDone: bytesDone() });
  }
  run.onProgress({ phase, filesDone, filesTotal, bytesDone: bytesDone() });
}
