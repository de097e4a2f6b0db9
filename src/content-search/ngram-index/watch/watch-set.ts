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
import { enteredMounts } from './entered-mounts.ts';
import { createInputs } from './inputs.ts';
import { createNewNames } from './links.ts';
import { createNewDirectories, type NewDirectories } from './new-directories.ts';
import { createNodes } from './nodes.ts';
import { createRuleFiles } from './rule-files.ts';

export interface TreeWatchParts {
  readonly indexed: IndexedTree;
  /** Absolute path; `''`: there is none. */
  readonly globalIgnoreFile: string;
  readonly tree: SearchTree;
  readonly files: Pick<TreeFiles, 'stat'>;
  readonly openWatches: () => DirectoryWatches | TreeRefusal;
  readonly openMounts: (root: string) => MountWatch;
  /** Whether the file system at this path tells every change (search-rules 11). */
  readonly freshnessOn: (path: Buffer | string) => FreshnessGuarantee;
}

/** The receiver of events. */
export interface EventSink {
  readonly raise: (veto: HostVeto) => void;
  readonly touch: (kind: OverlayEntry['kind'], path: BytePath) => void;
  readonly linksOf: (path: BytePath) => number | undefined;
}

/** The watches of one arming; the next arming opens a new set. */
export interface WatchSet extends ArmingParts {
  readonly newDirectories: NewDirectories;
  /** Sets the watches of the whole walk. */
  start(): Arming;
  /** Reads and applies events until there are none. */
  drain(): void;
  /** Vetoes for what no event tells: mounts, where the root is, rules outside of the walk. */
  lookAround(): readonly HostVeto[];
  close(): void;
}

/** Rounds of reading events: under constant events it ends all the same, and the next `drain` goes on. */
const ROUNDS = 4;

/** Opens an empty set of watches; as `ArmResult` has it why there can be none. */
export function openWatchSet(parts: TreeWatchParts, sink: EventSink): WatchSet | string {
  // Mounts are watched before anything is listed, so that no later one is missed.
  const mounts = parts.openMounts(parts.indexed.root);
  const refused = unwatchable(parts, mounts);
  const watches = refused === undefined ? parts.openWatches() : { refused };
  if (!('refused' in watches)) return watchSetOf(parts, sink, mounts, watches);
  mounts.close();
  return watches.refused;
}

/** Where file systems on the walk do not tell every change, it does not matter how many watches there are. */
function unwatchable({ indexed, tree, freshnessOn }: TreeWatchParts, { beneath }: MountWatch): 'REMOTE' | 'FILE_SYSTEM' | undefined {
  const allowed = [indexed.root, ...enteredMounts(tree, indexed, beneath)].map(freshnessOn);
  if (allowed.includes('none')) return 'REMOTE';
  return allowed.includes('stat') ? 'FILE_SYSTEM' : undefined;
}

function watchSetOf(parts: TreeWatchParts, { raise, touch, linksOf }: EventSink, mounts: MountWatch, watches: DirectoryWatches): WatchSet {
  const { indexed, tree, globalIgnoreFile } = parts;
  const { root, noIgnore } = indexed;
  const inputs = createInputs(tree, parts.files, root, { noIgnore, globalIgnoreFile });

  const nodes = createNodes();
  const ruleFiles = createRuleFiles({ root, noIgnore, inputs, linksOf });
  const onDoubt = (why: 'LINKED' | 'GONE'): void => {
    raise('HARD_LINK');
    // Rules, too, may have been written by another name.
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
      const changed = mounts.changed();
      const isOurs = changed !== undefined && (changed.above || enteredMounts(tree, indexed, changed.beneath).length > 0);
      return [...(isOurs ? (['MOUNT'] as const) : []), ...(differ === undefined ? [] : [differ])];
    },
    close() {
      watches.close();
      mounts.close();
    },
  };
}
