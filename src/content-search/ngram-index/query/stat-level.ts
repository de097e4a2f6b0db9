import type { BytePath, TreeFiles } from '../../../core/ports/index.ts';
import type { Candidate, Enumeration } from '../../search/types.ts';
import { isSameFile } from '../build/same-file.ts';
import { absolutePath, bytesOf } from '../build/tree-paths.ts';
import type { SegmentDocument } from '../segment/format.ts';
import { comparePaths } from '../segment/path-order.ts';
import { liveDocuments } from './live.ts';
import type { Snapshot } from './snapshot.ts';

export interface StatLevelOptions {
  readonly walk: Enumeration;
  readonly snapshot: Snapshot;
  /** What the index cannot leave out. */
  readonly paths: readonly BytePath[];
  readonly root: string;
  readonly stats: Pick<TreeFiles, 'stat'>;
}

/**
 * Where no events tell what has changed (index level `stat`): the whole walk, without those files that the index may leave out
 * and that are still what they were when they were read (FR-LSI-TRK-01, BUD-MAINT-02). Each is looked at the moment before it is left
 * out. Walk and catalogue come in the same order, so nothing of either is held.
 *
 * @throws CorruptSegment from `next`
 */
export function statFiltered({ walk, snapshot, paths, root, stats }: StatLevelOptions): Enumeration & { readonly excluded: () => number } {
  const kept = new Set(paths);
  const documents = liveDocuments(snapshot);
  let document = documents.next();
  let excluded = 0;

  function documentOf(path: Buffer): SegmentDocument | undefined {
    while (document.done !== true && comparePaths(document.value.document.path, path) < 0) document = documents.next();
    return document.done !== true && document.value.document.path.equals(path) ? document.value.document : undefined;
  }

  function isExcluded(candidate: Candidate): boolean {
    const path = bytesOf(candidate);
    const known = documentOf(path);
    if (known === undefined || kept.has(path.toString('latin1'))) return false;
    const stat = stats.stat(absolutePath(root, candidate));
    return !('refused' in stat) && isSameFile(stat, known);
  }

  return {
    warnings: walk.warnings,
    excluded: () => excluded,
    next(limit) {
      for (;;) {
        const piece = walk.next(limit);
        const left = piece.filter((candidate) => !isExcluded(candidate));
        excluded += piece.length - left.length;
        if (left.length > 0 || piece.length === 0) return left;
      }
    },
  };
}
