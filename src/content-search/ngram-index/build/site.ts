import type { BuildPhase, BuildProgress, IndexFiles, SearchTree, TreeFiles } from '../../../core/ports/index.ts';
import type { Candidate, Enumeration } from '../../search/types.ts';
import type { Hasher } from '../tokenize/hash.ts';
import { createTokenizer, type Tokens } from '../tokenize/tokenizer.ts';
import { createWindowTokenizer, type WindowTokenizer } from '../tokenize/windows.ts';
import { filesOf } from './differences.ts';
import { createGramPairs, type GramPairs } from './gram-pairs.ts';
import { type IndexedTree, walkTree } from './indexed-tree.ts';
import type { Pace } from './pace.ts';
import type { DocumentReader } from './read-document.ts';
import type { SecondReader } from './second-reader.ts';

/** The surroundings of all jobs of one index. */
export interface BuildSite {
  readonly tree: SearchTree;
  readonly files: TreeFiles;
  readonly index: IndexFiles;
  readonly hasher: Hasher;
  readonly indexed: IndexedTree;
  /** Made by `createTables` for this tree. */
  readonly tables: BuildTables;
  /** SHA-256 of the index key. */
  readonly keyHash: Buffer;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A thread that reads files for this one; absent where there is one processor. */
  readonly second?: SecondReader;
  /** Bytes of lists that are held in memory; MAX_RUN_BYTES without. */
  readonly maxRunBytes?: number;
}

/** Tables that are expensive to make, and serve one job after the other. */
export interface BuildTables {
  readonly tokenize: (bytes: Uint8Array) => Tokens;
  readonly windows: WindowTokenizer;
  readonly pairs: GramPairs;
}

export function createTables({ ngramK, maxTokenizedBytes }: IndexedTree): BuildTables {
  const settings = { ngramK, maxTokenizedBytes };
  return { tokenize: createTokenizer(settings), windows: createWindowTokenizer(settings), pairs: createGramPairs(ngramK) };
}

/** Limits of a job; 0 files or bytes are no limit (FR-LSI-BUD-05). */
export interface JobLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  /** The most bytes that a segment may have. */
  readonly roomBytes: number;
  /** Index bytes divided by eligible bytes in the last build here, for the estimate. */
  readonly lastRatio: number | null;
}

/** A job that runs. */
export interface JobRun {
  readonly site: BuildSite;
  readonly limits: JobLimits;
  readonly pace: Pace;
  readonly onProgress: (progress: BuildProgress) => void;
  /** Files and bytes of the tree that the job has counted so far. */
  readonly counted: { files: number; bytes: number };
}

export function readerOf({ files, indexed: { root, maxTokenizedBytes }, nowMs, tables: { tokenize, windows } }: BuildSite): DocumentReader {
  return { root, files, nowMs, maxTokenizedBytes, tokenize, windows };
}

/** A walk that throws when the job has to end, so that a walk that was cut off never looks complete. */
export function walkOf({ site, pace }: JobRun, tree: SearchTree = site.tree): Enumeration {
  return walkTree(tree, site.indexed, () => {
    pace.check();
    return false;
  });
}

/** Files between two reports. */
const REPORT_FILES = 256;

/** Files of one step of the pace: a stat is a small part of the work of reading a file, which is a step of its own. */
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
