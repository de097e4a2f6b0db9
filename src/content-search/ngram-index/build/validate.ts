import type { BuildOutcome, SegmentName } from '../../../core/ports/index.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { type Difference, differences } from './differences.ts';
import { type JobRun, pacedFiles, walkOf } from './site.ts';
import { documentsOf, unchanged } from './unchanged.ts';
import { writeFiles } from './write-files.ts';

/** If a larger share than this differs, a build costs little more and leaves less behind. */
const REBUILD_SHARE = 0.2;
/** So many are always taken as they are. */
const REBUILD_FILES = 64;

/**
 * Makes an index of unknown age true again: looks at every file of the tree beside what the index has of it (FR-LSI-BG-50),
 * then writes one segment of what differs. The catalog and the walk come in the same order, so nothing is held but what
 * differs.
 *
 * @throws Halted, CorruptSegment, or what the disk refuses
 */
export function validateAgainst(run: JobRun, snapshot: Snapshot, into: SegmentName): BuildOutcome {
  const most = Math.max(REBUILD_FILES, Math.floor(snapshot.live * REBUILD_SHARE));
  const walk = walkOf(run);
  const files = pacedFiles(run, walk, 'ENUMERATE', snapshot.live, () => 0);
  const found: Difference[] = [];
  for (const difference of differences(files, documentsOf(snapshot), unchanged(run))) {
    found.push(difference);
    if (found.length > most) return { outcome: 'rebuild' };
  }
  return writeFiles(run, { into, found, walk });
}
