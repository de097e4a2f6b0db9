import type {
  ArmResult,
  BytePath,
  DirectoryWatches,
  HostVeto,
  MountWatch,
  OverlayEntry,
  OverlayPaths,
  Published,
  SearchTree,
  TreeEntry,
  TreeFiles,
  TreeRefusal,
} from '../../../core/ports/index.ts';
import type { IndexedTree } from '../indexed-tree.ts';
import { type Applying, applyEvent } from './apply.ts';
import { armTree } from './arming.ts';
import { createInputs, type Inputs } from './inputs.ts';
import { createNewNames } from './links.ts';
import { createNodes, type Nodes } from './nodes.ts';
import { createOverlay } from './overlay.ts';
import { createVetoes } from './vetoes.ts';
import { absolute, byteName, join } from './watching.ts';

export interface TreeWatchParts {
  readonly tree: SearchTree;
  readonly files: Pick<TreeFiles, 'stat'>;
  readonly openWatches: () => DirectoryWatches | TreeRefusal;
  readonly openMounts: (root: string) => MountWatch;
  /** Whether the file system at this path tells every change (search-rules 11). */
  readonly isWatchable: (path: Buffer | string) => boolean;
  /** Others get their turn. */
  readonly turn: () => Promise<void>;
}

export interface TreeWatchOptions {
  readonly indexed: IndexedTree;
  /** `''`: there is none. */
  readonly globalIgnoreFile: string;
  readonly onVeto: (veto: HostVeto, seq: number) => void;
}

/** Events, overlay and vetoes of one root. Everything but `arm` is done when it returns. */
export interface TreeWatch {
  /** From here on everything that was over when this was called is known. */
  look(): void;
  /** After `look`: why nothing may be left out, and what may differ. */
  readonly veto: HostVeto | null;
  readonly published: Published;
  readonly seq: number;
  readonly entries: number;
  /** Another number whenever `overlay()` differs. */
  readonly version: number;
  overlay(): OverlayPaths;
  arm(): Promise<ArmResult>;
  /** Looks, and waits until new directories are watched. */
  pending(limit: number): Promise<{ readonly seq: number; readonly entries: readonly OverlayEntry[]; readonly more: boolean }>;
  publish(published: Published): void;
  close(): void;
}

const NOTHING_PUBLISHED: Published = { state: 'ABSENT', reason: null, guarantee: 'none', snapshot: null, covered: [], coveredThrough: 0, lifts: null };
/** Under constant events looking ends all the same; what is not settled then is looked at again. */
const ROUNDS = 4;
const IGNORE_FILES: ReadonlySet<string> = new Set(['.ignore', '.gitignore']);
/** Both say that this user has no more of something. */
const LIMITS: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Everything of one arming; the next one begins with nothing. */
interface Armament {
  readonly watches: DirectoryWatches;
  readonly mounts: MountWatch;
  readonly inputs: Inputs;
  readonly nodes: Nodes;
  readonly applying: Applying;
}

/** The watch over one tree (search-rules 1, 2, 11; docs/index-watch.md). */
export function createTreeWatch(parts: TreeWatchParts, { indexed, globalIgnoreFile, onVeto }: TreeWatchOptions): TreeWatch {
  const { root, noIgnore } = indexed;
  const overlay = createOverlay();
  const vetoes = createVetoes();
  let published = NOTHING_PUBLISHED;
  let armed: Armament | undefined;
  let isArmed = false;
  /** Armings come one after the other. */
  let busy: Promise<unknown> = Promise.resolve();
  let isArmingMore = false;

  const raise = (veto: HostVeto): void => {
    const seq = overlay.next();
    if (vetoes.raise(veto, seq)) onVeto(veto, seq);
  };
  const linksOf = (path: BytePath): number | undefined => {
    const stat = parts.files.stat(absolute(root, path));
    return 'refused' in stat ? undefined : stat.links;
  };

  const open = (): Armament | string => {
    const watches = parts.openWatches();
    if ('refused' in watches) return watches.refused;
    // Before anything is listed, so that nothing after it is missed.
    const mounts = parts.openMounts(root);
    const nodes = createNodes();
    const names = createNewNames(linksOf, () => raise('HARD_LINK'));
    const decides = (name: BytePath): boolean => !noIgnore && IGNORE_FILES.has(name);
    const applying: Applying = { nodes, overlay, names, watches, toArm: new Set(), decides, raise };
    return { watches, mounts, inputs: createInputs(parts.tree, root, { noIgnore, globalIgnoreFile }), nodes, applying };
  };
  const close = (): void => {
    isArmed = false;
    armed?.watches.close();
    armed?.mounts.close();
    armed = undefined;
  };

  const drain = ({ watches, applying }: Armament): void => {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (watches.drain((event) => applyEvent(applying, event)) === 0) {
        applying.names.settle();
        break;
      }
      applying.names.look();
    }
  };
  const look = (): void => {
    if (armed === undefined) return;
    drain(armed);
    if (armed.mounts.changed()) raise('MOUNT');
    const differ = armed.inputs.differ();
    if (differ !== undefined) raise(differ);
    if (armed.applying.toArm.size > 0) armMore();
  };

  /** A subtree may be written to before its watches are set: so it counts as changed once more when they are. */
  const armNew = async (current: Armament): Promise<void> => {
    while (current.applying.toArm.size > 0 && current === armed) {
      const subtrees = [...current.applying.toArm];
      current.applying.toArm.clear();
      const said = await armTree({ ...walkParts(current), onListed: (path, entries) => lookAtLinks(path, entries, subtrees) }, subtrees);
      if (current !== armed) return;
      if (!said.ok) raise('WATCHER_DOWN');
      for (const path of subtrees) if (overlay.touch('SUBTREE', path) !== undefined) raise('BACKLOG');
      drain(current);
    }
  };
  const armMore = (): void => {
    const current = armed;
    if (current === undefined || isArmingMore || !isArmed) return;
    isArmingMore = true;
    busy = busy
      .then(() => armNew(current))
      .catch(() => raise('WATCHER_DOWN'))
      .finally(() => {
        isArmingMore = false;
      });
  };
  const walkParts = (current: Armament) => ({
    tree: parts.tree,
    indexed,
    nodes: current.nodes,
    watches: current.watches,
    pause: async () => {
      await parts.turn();
      if (current === armed) drain(current);
      return current === armed;
    },
  });
  /** A directory that is new to us may hold second names of files that are known. */
  const lookAtLinks = (path: BytePath, entries: readonly TreeEntry[], subtrees: readonly BytePath[]): void => {
    if (!subtrees.some((subtree) => subtree === '' || path === subtree || path.startsWith(`${subtree}/`))) return;
    const isLinked = (entry: TreeEntry): boolean => entry.kind === 'file' && (linksOf(join(path, byteName(entry))) ?? 1) > 1;
    if (entries.some(isLinked)) raise('HARD_LINK');
  };

  const armAll = async (): Promise<ArmResult> => {
    close();
    // What happens between two sets of watches nobody tells: a pass has to answer for it.
    vetoes.raise('NOT_ARMED', overlay.next());
    vetoes.armBegins();
    const opened = open();
    if (typeof opened === 'string') return refusal(opened);
    armed = opened;
    if (![root, ...opened.mounts.beneath].every(parts.isWatchable)) return refusal('FILE_SYSTEM');
    const said = await armTree(walkParts(opened));
    if (!said.ok) return refusal(said.refused);
    await armNew(opened);
    if (armed !== opened || opened.nodes.size === 0) return refusal('ECANCELED');
    isArmed = true;
    vetoes.armEnded();
    look();
    return { ok: true, seq: overlay.seq, directories: opened.nodes.size, warnings: said.warnings };
  };
  const refusal = (why: string): ArmResult => {
    close();
    return { ok: false, refused: LIMITS.has(why) ? 'LIMIT' : why };
  };

  return {
    look,
    get veto() {
      if (!isArmed && published.guarantee !== 'stat') return 'NOT_ARMED';
      const up = vetoes.up.find((veto) => veto !== 'NOT_ARMED' || published.guarantee !== 'stat');
      return up ?? (published.state === 'COMPLETE' ? null : 'NOT_COMPLETE');
    },
    get published() {
      return published;
    },
    get seq() {
      return overlay.seq;
    },
    get entries() {
      return overlay.size;
    },
    get version() {
      return overlay.version;
    },
    overlay: () => overlay.paths(),
    arm() {
      // A walk that is under way notices it and ends.
      close();
      const result = busy.then(armAll);
      busy = result.catch(() => undefined);
      return result;
    },
    async pending(limit) {
      look();
      await busy;
      look();
      const entries = overlay.take(limit);
      return { seq: overlay.seq, entries, more: overlay.size > entries.length };
    },
    publish(next) {
      published = next;
      overlay.forget(next.covered, next.coveredThrough);
      if (next.lifts === null) return;
      vetoes.lift(next.lifts.through, next.guarantee === 'inotify');
      // What could not be lifted has to be worked on again, and whoever waits for a signal would not know.
      for (const veto of vetoes.up) onVeto(veto, overlay.seq);
    },
    close,
  };
}
