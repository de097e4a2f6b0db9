import type { TreeFileStat } from '../../../core/ports/index.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';

/**
 * Whether a file still is what a document was made from, as far as its metadata can tell (FR-LSI-TRK-01 to -03): size, times
 * and identity. Times that were too young when it was read tell nothing, and a file with several names can change unseen.
 */
export function isSameFile(stat: TreeFileStat, { size, mtimeNs, ctimeNs, ino, dev, flags }: SegmentDocument): boolean {
  if ((flags & DOCUMENT_FLAG.racy) !== 0) return false;
  const isSingle = stat.links <= 1 || (flags & DOCUMENT_FLAG.always) !== 0;
  return isSingle && stat.ctimeNs === ctimeNs && stat.mtimeNs === mtimeNs && stat.size === size && stat.ino === ino && stat.dev === dev;
}
