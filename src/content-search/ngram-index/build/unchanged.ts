import type { Candidate } from '../../search/types.ts';
import { liveDocuments } from '../query/live.ts';
import type { Snapshot } from '../query/snapshot.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import { isGone, UNKNOWN } from './read-document.ts';
import { isSameFile } from './same-file.ts';
import type { JobRun } from './site.ts';
import { absolutePath } from './tree-paths.ts';

/** What searches find in a snapshot, in key order. */
export function* documentsOf(snapshot: Snapshot): Generator<SegmentDocument> {
  for (const { document } of liveDocuments(snapshot)) yield document;
}

/** Looks at files of the tree: whether each still is what a document was made of. */
export function unchanged({ site: { files, indexed } }: JobRun): (candidate: Candidate, document: SegmentDocument) => boolean {
  return (candidate, document) => {
    const stat = files.stat(absolutePath(indexed.root, candidate));
    if (!('refused' in stat)) return isSameFile(stat, document);
    // It could not be looked at before either; what is gone shows when it is read.
    return !isGone(stat) && (document.flags & DOCUMENT_FLAG.unreadable) !== 0 && isSameFile(UNKNOWN, document);
  };
}
