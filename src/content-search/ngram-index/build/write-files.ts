import type { BuildOutcome, SegmentName } from '../../../core/ports/index.ts';
import type { Enumeration } from '../../search/types.ts';
import { readAhead } from './ahead.ts';
import type { Difference } from './differences.ts';
import { createDraft, type SegmentDraft } from './draft.ts';
import { Halted, type HaltReason, type Pace } from './pace.ts';
import type { JobRun } from './site.ts';
import { bytesOf } from './tree-paths.ts';

/** The contents of a segment to write. */
export interface IndexSpec {
  readonly into: SegmentName;
  /** Differences in key order. */
  readonly found: Iterable<Difference>;
  /** The walk that found them. */
  readonly walk: Enumeration;
  /** Whether what was read is kept when the job is halted for this reason; absent: nothing is kept. */
  readonly isKept?: (why: HaltReason) => boolean;
  /** Files and bytes that the job has read, counted while it reads. */
  readonly told?: { files: number; bytes: number };
}

/**
 * Reads the files that differ from the index, and writes one segment of them; 'nothing' if there are none and it is no base. A
 * file that has gone since the walk saw it only hides what the index had.
 *
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function writeFiles(run: JobRun, { into, found, walk, isKept = () => false, told = { files: 0, bytes: 0 } }: IndexSpec): BuildOutcome {
  const { site, limits, pace } = run;
  const draft = createDraft({ ...site, ...site.tables, into, pace: lenient(pace, isKept), roomBytes: limits.roomBytes });
  try {
    const halt = haltOf(() => readAll(run, draft, found, told));
    if (halt !== undefined && !(isKept(halt.reason) && draft.last !== undefined)) throw halt;
    if (draft.documents === 0 && into.delta > 0) return { outcome: 'nothing', hiding: walk.warnings.length };
    run.onProgress({ phase: 'PERSIST', filesDone: told.files, filesTotal: told.files, bytesDone: told.bytes });
    const figures = { documents: draft.documents, bytes: draft.write(), read: told.files, readBytes: told.bytes };
    if (halt === undefined) return { outcome: 'done', ...figures, hiding: walk.warnings.length };
    return { outcome: 'partial', ...figures, why: halt.reason === 'TIME' ? 'TIME' : 'STOPPED', lastPath: draft.last?.toString('latin1') ?? '' };
  } finally {
    draft.discard();
  }
}

function readAll(run: JobRun, draft: SegmentDraft, found: Iterable<Difference>, told: { files: number; bytes: number }): void {
  for (const [difference, read] of readAhead(run, found)) {
    if (difference.kind === 'gone') draft.addGone(difference.path);
    else if (read !== 'gone') {
      draft.add(read.document, read.grams);
      told.files += 1;
      told.bytes += read.bytes;
    } else if (difference.known) draft.addGone(bytesOf(difference.candidate));
  }
}

function haltOf(work: () => void): Halted | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Halted) return error;
    throw error;
  }
}

/** A pace that sleeps no more once the job is halted and what was read is to be kept. */
function lenient(pace: Pace, isKept: (why: HaltReason) => boolean): Pace {
  const unless = (halt: Halted | undefined): void => {
    if (halt !== undefined && !isKept(halt.reason)) throw halt;
  };
  return {
    step: () => unless(haltOf(() => pace.step())),
    check: () => unless(haltOf(() => pace.check())),
    get isFree() {
      return pace.isFree;
    },
  };
}
