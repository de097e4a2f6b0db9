import type { BuildJob, BuildOutcome } from '../../../core/ports/index.ts';
import type { Candidate } from '../../search/types.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { estimateBytes } from '../safety/limits.ts';
import { type Difference, differences } from './differences.ts';
import { measureTree, type TreeMeasure } from './measure.ts';
import type { HaltReason } from './pace.ts';
import { type JobLimits, type JobRun, pacedFiles, walkOf } from './site.ts';
import { documentsOf, unchanged } from './unchanged.ts';
import { writeFiles } from './write-files.ts';

/**
 * Reads the whole tree (FR-LSI-BG-20): counts it, and goes on only if there is room for what it will give (search-rules 17);
 * documents get their numbers in key order, which is the order of the walk. Two walks, because the names of a million files
 * would not fit into the memory that a build has. What it has read when its time is over, or when it is asked to stop, is a
 * segment too ('partial', FR-LSI-BG-40, BUD-INIT-02).
 *
 * @param begun what an earlier build has left: nobody knows what happened to its files since, so each is looked at again
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function buildWhole(run: JobRun, { into, keepOnStop = false }: Extract<BuildJob, { kind: 'build' }>, begun?: Snapshot): BuildOutcome {
  const measure = measureTree(run, () => false);
  const why = excessOf(measure, run.limits);
  if (why !== undefined) return { outcome: 'over-budget', why, files: measure.files, bytes: measure.bytes };
  const walk = walkOf(run);
  const told = { files: 0, bytes: 0 };
  const files = pacedFiles(run, walk, 'TOKENIZE', measure.files, () => told.bytes);
  const found = begun === undefined ? allOf(files) : differences(files, documentsOf(begun), unchanged(run));
  const isKept = (halt: HaltReason): boolean => halt === 'TIME' || (halt === 'STOPPED' && keepOnStop);
  return writeFiles(run, { into, found, walk, isKept, told });
}

function* allOf(files: Iterable<Candidate>): Generator<Difference> {
  for (const candidate of files) yield { kind: 'read', candidate, known: false };
}

type Excess = 'FILES' | 'BYTES' | 'DISK';

/** In the order in which they are looked at. */
const EXCESS = {
  FILES: ({ files }, { maxFiles }) => maxFiles > 0 && files > maxFiles,
  BYTES: ({ bytes }, { maxBytes }) => maxBytes > 0 && bytes > maxBytes,
  DISK: ({ eligibleBytes }, { roomBytes, lastRatio }) => estimateBytes(eligibleBytes, lastRatio ?? undefined) > roomBytes,
} satisfies Record<Excess, (measure: TreeMeasure, limits: JobLimits) => boolean>;

const EXCESSES = ['FILES', 'BYTES', 'DISK'] as const satisfies readonly Excess[];

const excessOf = (measure: TreeMeasure, limits: JobLimits): Excess | undefined => EXCESSES.find((name) => EXCESS[name](measure, limits));
