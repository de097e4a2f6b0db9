import type { BytePath, DirectoryWatches, SearchTree, TreeEntry, TreeRefusal } from '../../../core/ports/index.ts';
import { only } from '../../enumerate/only.ts';
import { type IndexedTree, walkTree } from '../build/indexed-tree.ts';
import type { Nodes } from './nodes.ts';
import { watching } from './watching.ts';

/** Files of a slice: a barrier waits no longer than until the directories of one are read. */
const SLICE = 512;

/** Errors that tell how the tree is. Any other (no memory, no descriptors, no watches) tells only that we cannot see it. */
const OF_THE_TREE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

export interface ArmingParts {
  readonly tree: SearchTree;
  readonly indexed: IndexedTree;
  readonly nodes: Nodes;
  readonly watches: DirectoryWatches;
}

/** The end of an arming. `refused` is an errno name; what was armed before it cannot be relied on. */
export type Armed = { readonly ok: true; readonly warnings: number } | { readonly ok: false; readonly refused: string };

/** An arming under way: sets watches, a slice at a time. */
export interface Arming {
  /** Does one slice; `undefined`: more slices follow. */
  step(): Armed | undefined;
}

/**
 * Watches the directories of the walk: all of them, or those of some subtrees (and of the way to them, which are watched
 * already).
 *
 * @param onListed each directory with its entries of all kinds
 */
export function startArming(parts: ArmingParts, subtrees?: readonly BytePath[], onListed?: (path: BytePath, entries: readonly TreeEntry[]) => void): Arming {
  const { tree, indexed } = parts;
  let refused: string | undefined;
  const part = subtrees === undefined ? tree : only(tree, indexed.root, { files: [], subtrees });
  const refuse = (why: string): void => {
    if (!OF_THE_TREE.has(why)) refused ??= why;
  };
  const watched = watching(part, indexed.root, {
    add: (path, directory) => {
      const said = addWatch(parts, path, directory);
      if (said !== undefined) refuse(said.refused);
      return said;
    },
    listed: (path, found) => {
      if ('refused' in found) refuse(found.refused);
      else onListed?.(path, found);
    },
  });
  const walk = walkTree(watched, indexed, () => refused !== undefined);
  return {
    step() {
      const isEnd = walk.next(SLICE).length === 0;
      if (refused !== undefined) return { ok: false, refused };
      return isEnd ? { ok: true, warnings: walk.warnings.length } : undefined;
    },
  };
}

function addWatch({ watches, nodes }: ArmingParts, path: BytePath, directory: Buffer | string): TreeRefusal | undefined {
  const watch = watches.add(directory);
  if (typeof watch !== 'number') return watch;
  const unused: number[] = [];
  const isPlaced = nodes.place(path, watch, unused);
  for (const each of unused) watches.remove(each);
  // Without a place, the directory above is gone; an event tells when it comes back.
  return isPlaced ? undefined : { refused: 'ENOENT' };
}
