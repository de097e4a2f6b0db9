import type { BuildOutcome, SegmentName } from '../../../core/ports/index.ts';
import { estimateBytes } from '../safety/limits.ts';
import { createDraft } from './draft.ts';
import { measureTree, type TreeMeasure } from './measure.ts';
import { readDocument } from './read-document.ts';
import { type JobLimits, type JobRun, pacedFiles, readerOf, walkOf } from './site.ts';

/**
 * Builds the base of a generation (FR-LSI-BG-20): counts the tree, and reads it only if there is room for what it will give
 * (search-rules 17); documents get their numbers in key order, which is the order of the walk. Two walks, because the names of
 * a million files would not fit into the memory that a build has.
 *
 * @throws Halted, CorruptSegment (of a run), or what the disk refuses
 */
export function buildBase(run: JobRun, into: SegmentName): BuildOutcome {
  const measure = measureTree(run, () => false);
  const why = excessOf(measure, run.limits);
  if (why !== undefined) return { outcome: 'over-budget', why, files: measure.files, bytes: measure.bytes };
  const { site, limits, pace } = run;
  const draft = createDraft({ ...site, ngramK: site.indexed.ngramK, into, pace, roomBytes: limits.roomBytes });
  try {
    const reader = readerOf(site);
    const walk = walkOf(run);
    let [read, readBytes] = [0, 0];
    for (const candidate of pacedFiles(run, walk, 'TOKENIZE', measure.files, () => readBytes)) {
      const found = readDocument(reader, candidate);
      if (found === 'gone') continue;
      draft.add(found.document, found.grams);
      read += 1;
      readBytes += found.bytes;
    }
    run.onProgress({ phase: 'PERSIST', filesDone: read, filesTotal: measure.files, bytesDone: readBytes });
    const bytes = draft.write();
    return { outcome: 'done', documents: draft.documents, bytes, read, readBytes, hiding: walk.warnings.length };
  } finally {
    draft.discard();
  }
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
