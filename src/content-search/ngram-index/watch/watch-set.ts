import type {
  BytePath,
  DirectoryWatches,
  FreshnessGuarantee,
  HostVeto,
  MountWatch,
  OverlayEntry,
  SearchTree,
  TreeFiles,
  TreeRefusal,
} from '../../../core/ports/index.ts';
import type { IndexedTree } from '../build/indexed-tree.ts';
import { applyEvent, type EventContext } from './apply.ts';
import { type Arming, type ArmingParts, startArming } from './arming.ts';
import { createInputs } from './inputs.ts';
import { createNewNames } from './links.ts';
import { createNewDirectories, type NewDirectories } from './new-directories.ts';
import { createNodes } from './nodes.ts';
import { createRuleFiles } from './rule-files.ts';

export interface TreeWatchParts {
  readonly indexed: IndexedTree;
  /** `''`: there is none. */
  readonly globalIgnoreFile: string;
  readonly tree: SearchTree;
  readonly files: Pick<TreeFiles, 'stat'>;
  readonly openWatches: () => DirectoryWatches | TreeRefusal;
  readonly openMounts: (root: string) => MountWatch;
  /** What the file system at this path allows: whether it tells every change (search-rules 11). */
  readonly freshnessOn: (path: Buffer | string) => FreshnessGuarantee;
}

/** Where the events go. */
export interface EventSink {
  readonly raise: (veto: HostVeto) => void;
  readonly touch: (kind: OverlayEntry['kind'], path: BytePath) => void;
  readonly linksOf: (path: BytePath) => number | undefined;
}

/** Everything of one arming; the next one begins with nothing of it. */
export interface WatchSet extends ArmingParts {
  readonly mounts: MountWatch;
  readonly newDirectories: NewDirectories;
  /** Sets the watches of the whole walk. */
  start(): Arming;
  /** Reads and applies events until there are none. */
  drain(): void;
  /** What no event tells: mounts, where the root is, rules outside of the walk. */
  lookAround(): readonly HostVeto[];
  close(): void;
}

/** Under constant events reading ends all the same; what is not settled then is looked at again. */
const ROUNDS = 4;

/** Opens a set of watches with none in it; an errno name where there is none to be had. */
export function openWatchSet(parts: TreeWatchParts, { raise, touch, linksOf }: EventSink): WatchSet | string {
  const { indexed, tree, globalIgnoreFile } = parts;
  const { root, noIgnore } = indexed;
  const watches = parts.openWatches();
  if ('refused' in watches) return watches.refused;
  // Before anything is listed, so that nothing after it is missed.
  const mounts = parts.openMounts(root);
  const inputs = createInputs(tree, root, { noIgnore, globalIgnoreFile });

  const nodes = createNodes();
  const ruleFiles = createRuleFiles({ root, noIgnore, inputs, linksOf });
  const onDoubt = (why: 'LINKED' | 'GONE'): void => {
    raise('HARD_LINK');
    // It may have been rules that were written by another name.
    if (ruleFiles.mayBeWritten(why)) raise('ELIGIBILITY');
  };
  const names = createNewNames(linksOf, onDoubt);
  const arming: ArmingParts = { tree, indexed, nodes, watches };
  const newDirectories = createNewDirectories({
    start: (subtrees, onListed) => startArming(arming, subtrees, onListed),
    linksOf,
    onArmed(subtrees) {
      for (const path of subtrees) touch('SUBTREE', path);
    },
    onRefused: () => raise('WATCHER_DOWN'),
    onLinked: () => onDoubt('LINKED'),
    onListed: ruleFiles.note,
  });
  const applying: EventContext = { nodes, names, watches, decides: ruleFiles.decides, raise, touch, toArm: newDirectories.queue };

  return {
    ...arming,
    mounts,
    newDirectories,
    start: () => startArming(arming, undefined, ruleFiles.noteAndTrack),
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
