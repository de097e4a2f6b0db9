import type { SearchTree, TreeFiles } from '../../../core/ports/index.ts';
import { estimateBytes } from '../safety/limits.ts';
import { textBytes } from '../tokenize/windows.ts';
import { type IndexedTree, walkTree } from './indexed-tree.ts';
import { absolutePath } from './tree-paths.ts';

/** Resources that an index of a tree would need. */
export interface TreeSurvey {
  readonly files: number;
  readonly bytes: number;
  /** Directories; each takes a watch. */
  readonly directories: number;
  /** Bytes of the index, estimated (search-rules 17). */
  readonly indexBytes: number;
  /** False when the time was up: then all numbers are lower bounds. */
  readonly isWhole: boolean;
}

/** Counts a tree as an index host would, without an index. @param isLate ends the count early */
export function surveyTree(indexed: IndexedTree, tree: SearchTree, treeFiles: Pick<TreeFiles, 'stat'>, isLate: () => boolean): TreeSurvey {
  let [files, bytes, eligible, directories] = [0, 0, 0, 0];
  const counting: SearchTree = {
    ...tree,
    list(directory) {
      directories += 1;
      return tree.list(directory);
    },
  };
  const walk = walkTree(counting, indexed, isLate);
  for (let piece = walk.next(PIECE); piece.length > 0; piece = walk.next(PIECE)) {
    for (const candidate of piece) {
      const stat = treeFiles.stat(absolutePath(indexed.root, candidate));
      files += 1;
      if ('refused' in stat) continue;
      bytes += stat.size;
      eligible += textBytes(stat.size, indexed.maxTokenizedBytes);
    }
    if (isLate()) break;
  }
  return { files, bytes, directories, indexBytes: estimateBytes(eligible), isWhole: !isLate() };
}

const PIECE = 1_024;
