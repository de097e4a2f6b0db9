import type { BytePath, DirectoryWatches, HostVeto, MountWatch, OverlayEntry, SearchTree, TreeFiles, TreeRefusal } from '../../../core/ports/index.ts';
import type { IndexedTree } from '../indexed-tree.ts';
import { type Applying, applyEvent } from './apply.ts';
import { type ArmingParts, startArming } from './arming.ts';
import { createInputs } from './inputs.ts';
import { createNewNames } from './links.ts';
import { createNewDirectories, type NewDirectories } from './new-directories.ts';
import { createNodes } from './nodes.ts';

export interface TreeWatchParts {
  readonly indexed: IndexedTree;
  /** `''`: there is none. */
  readonly globalIgnoreFile: string;
  readonly tree: SearchTree;
  readonly files: Pick<TreeFiles, 'stat'>;
  readonly openWatches: () => DirectoryWatches | TreeRefusal;
  readonly openMounts: (root: string) => MountWatch;
  /** Whether the file system at this path tells every change (search-rules 11). */
  readonly isWatchable: (path: Buffer | string) => boolean;
}

/** Where the events go. */
export interface Knowledge {
  readonly raise: (veto: HostVeto) => void;
  readonly touch: (kind: OverlayEntry['kind'], path: BytePath) => void;
  readonly linksOf: (path: BytePath) => number | undefined;
}

/** Everything of one arming; the next one begins with nothing of it. */
export interface Armament extends ArmingParts {
  readonly mounts: MountWatch;
  readonly newDirectories: NewDirectories;
  /** Reads and applies events until there are none. */
  drain(): void;
  /** What no event tells: mounts, where the root is, rules outside of the walk. */
  lookAround(): readonly HostVeto[];
  close(): void;
}

/** Under constant events reading ends all the same; what is not settled then is looked at again. */
const ROUNDS = 4;
const IGNORE_FILES: ReadonlySet<string> = new Set(['.ignore', '.gitignore']);

/** Opens a set of watches with none in it; an errno name where there is none to be had. */
export function openArmament(parts: TreeWatchParts, { raise, touch, linksOf }: Knowledge): Armament | string {
  const { indexed, tree, globalIgnoreFile } = parts;
  const { root, noIgnore } = indexed;
  const watches = parts.openWatches();
  if ('refused' in watches) return watches.refused;
  // Before anything is listed, so that nothing after it is missed.
  const mounts = parts.openMounts(root);
  const inputs = createInputs(tree, root, { noIgnore, globalIgnoreFile });

  const nodes = createNodes();
  const onLinked = (): void => raise('HARD_LINK');
  const names = createNewNames(linksOf, onLinked);
  const arming: ArmingParts = { tree, indexed, nodes, watches };
  const newDirectories = createNewDirectories({
    start: (subtrees, onListed) => startArming(arming, subtrees, onListed),
    linksOf,
    onArmed(subtrees) {
      for (const path of subtrees) touch('SUBTREE', path);
    },
    onRefused: () => raise('WATCHER_DOWN'),
    onLinked,
  });
  const decides = (name: BytePath): boolean => !noIgnore && IGNORE_FILES.has(name);
  const applying: Applying = { nodes, names, watches, decides, raise, touch, toArm: newDirectories.queue };

  return {
    ...arming,
    mounts,
    newDirectories,
    drain() {
      for (let round = 0; round < ROUNDS; round += 1) {
        if (watches.drain((event) => applyEvent(applying, event)) === 0) return names.settle();
        names.look();
      }
    },
    lookAround() {
      const differ = inputs.differ();
      return [...(mounts.changed() ? (['MOUNT'] as const) : []), ...(differ === undefined ? [] : [differ])];
    },
    close() {
      watches.close();
      mounts.close();
    },
  };
}
