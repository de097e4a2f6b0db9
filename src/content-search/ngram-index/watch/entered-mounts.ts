import type { BytePath, SearchTree } from '../../../core/ports/index.ts';
import { only } from '../../enumerate/only.ts';
import { type IndexedTree, walkTree } from '../build/indexed-tree.ts';
import { relativeTo } from './watching.ts';

/**
 * Those of the mount points that the walk of searches comes to. What is mounted elsewhere (in an ignored, hidden or denied
 * directory) is none of the index's business, whatever it is. Lists only the directories on the way, and nothing of what is
 * mounted but where another mount lies deeper in it.
 *
 * @param points absolute paths beneath the root
 */
export function enteredMounts(tree: SearchTree, indexed: IndexedTree, points: readonly Buffer[]): readonly Buffer[] {
  if (points.length === 0) return [];
  const byPath = new Map<BytePath, Buffer>(points.map((point) => [relativeTo(indexed.root, point), point]));
  const paths = [...byPath.keys()];
  const entered = new Set<Buffer>();
  const enter = (path: BytePath): boolean => {
    const point = byPath.get(path);
    if (point !== undefined) entered.add(point);
    return point !== undefined;
  };
  const way = only(tree, indexed.root, { files: paths, subtrees: [] });
  const list: SearchTree['list'] = (directory) => {
    const path = relativeTo(indexed.root, directory);
    const isEnd = enter(path) && !paths.some((other) => other.startsWith(`${path}/`));
    return isEnd ? [] : way.list(directory);
  };
  const walk = walkTree({ ...way, list }, indexed);
  for (let piece = walk.next(PIECE); piece.length > 0; piece = walk.next(PIECE)) {
    // A single file can be a mount point, too.
    for (const { text, raw } of piece) enter((raw ?? Buffer.from(text)).toString('latin1'));
  }
  // What could not be seen may be on the way.
  return walk.warnings.length > 0 ? points : [...entered];
}

const PIECE = 64;
