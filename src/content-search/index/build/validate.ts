import type { BuildOutcome, SegmentName, TreeFileStat } from '../../../core/ports/index.ts';
import type { Candidate } from '../../types.ts';
import { liveDocuments } from '../query/live.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import { writeDelta } from './delta.ts';
import { type Difference, differences } from './differences.ts';
import { isGone, UNKNOWN } from './read-document.ts';
import { type JobRun, pacedFiles, walkOf } from './site.ts';
import { absolutePath } from './tree-paths.ts';

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
  for (const difference of differences(files, documentsOf(snapshot), isSameFile(run))) {
    found.push(difference);
    if (found.length > most) return { outcome: 'rebuild' };
  }
  return writeDelta(run, into, found, walk);
}

function* documentsOf(snapshot: Snapshot): Generator<SegmentDocument> {
  for (const { document } of liveDocuments(snapshot)) yield document;
}

function isSameFile({ site: { files, indexed } }: JobRun): (candidate: Candidate, document: SegmentDocument) => boolean {
  return (candidate, document) => {
    if ((document.flags & DOCUMENT_FLAG.racy) !== 0) return false;
    const stat = files.stat(absolutePath(indexed.root, candidate));
    if (!('refused' in stat)) return isSame(stat, document);
    // It could not be looked at before either; what is gone shows when it is read.
    return !isGone(stat) && (document.flags & DOCUMENT_FLAG.unreadable) !== 0 && isSame(UNKNOWN, document);
  };
}

function isSame(stat: TreeFileStat, { size, mtimeNs, ctimeNs, ino, dev, flags }: SegmentDocument): boolean {
  const isSingle = stat.links <= 1 || (flags & DOCUMENT_FLAG.always) !== 0;
  return isSingle && stat.ctimeNs === ctimeNs && stat.mtimeNs === mtimeNs && stat.size === size && stat.ino === ino && stat.dev === dev;
}
