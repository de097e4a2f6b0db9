import { lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freshnessOn } from '../../../src/adapters/linux/file-system-kind.ts';
import { openInotify } from '../../../src/adapters/linux/inotify.ts';
import { openMounts } from '../../../src/adapters/linux/mounts.ts';
import { nodeTreeFiles } from '../../../src/content-search/io/tree/read.ts';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import { type IndexedTree, walkTree } from '../../../src/content-search/ngram-index/build/indexed-tree.ts';
import { createTreeWatch, type TreeWatch, type TreeWatchOptions } from '../../../src/content-search/ngram-index/watch/tree-watch.ts';
import type { HostVeto, OverlayPaths, Published } from '../../../src/core/ports/index.ts';

export const indexedTree = (root: string, overrides: Partial<IndexedTree> = {}): IndexedTree => ({
  root,
  hidden: false,
  noIgnore: false,
  denied: [],
  allowedRoots: [root],
  globalIgnore: null,
  ngramK: 3,
  maxTokenizedBytes: 1 << 20,
  ...overrides,
});

export interface WatchRig extends Disposable {
  readonly root: string;
  readonly indexed: IndexedTree;
  readonly watch: TreeWatch;
  readonly vetoes: HostVeto[];
  at(...names: string[]): string;
}

/** A directory of its own with a watch over it, in this thread. */
export function createWatchRig(overrides: Partial<TreeWatchOptions> = {}, tree: Partial<IndexedTree> = {}): WatchRig {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-watch-')));
  const vetoes: HostVeto[] = [];
  const indexed = indexedTree(root, tree);
  const watch = createTreeWatch({
    indexed,
    globalIgnoreFile: '',
    tree: nodeSearchTree(),
    files: nodeTreeFiles(),
    openWatches: openInotify,
    openMounts,
    freshnessOn,
    turn: () => new Promise((resolve) => void setImmediate(resolve)),
    onVeto: (veto) => void vetoes.push(veto),
    ...overrides,
  });
  return {
    root,
    indexed,
    watch,
    vetoes,
    at: (...names) => path.join(root, ...names),
    [Symbol.dispose]() {
      watch.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export const complete = (overrides: Partial<Published> = {}): Published => ({
  state: 'COMPLETE',
  reason: null,
  guarantee: 'inotify',
  snapshot: { generation: 1, deltas: [] },
  covered: [],
  coveredThrough: 0,
  lifts: null,
  ...overrides,
});

/** As a host does: arms, looks at the whole tree, publishes. */
export async function armAndPublish(watch: TreeWatch): Promise<void> {
  const armed = await watch.arm();
  if (!armed.ok) throw new Error(armed.refused);
  watch.publish(complete({ coveredThrough: armed.seq, lifts: { through: armed.seq } }));
}

/** A file with more names than one is a candidate of every search, whatever is in it. */
const ALWAYS = '\0 always';

/** Every file that the walk gives, with what an index believes to be in it; the paths as bytes. */
export function contents(indexed: IndexedTree): Map<string, string> {
  const walk = walkTree(nodeSearchTree(), indexed);
  const found = new Map<string, string>();
  for (let piece = walk.next(64); piece.length > 0; piece = walk.next(64)) {
    for (const { text, raw } of piece) {
      const bytes = raw ?? Buffer.from(text);
      const at = Buffer.concat([Buffer.from(`${indexed.root}/`), bytes]);
      found.set(bytes.toString('latin1'), lstatSync(at).nlink > 1 ? ALWAYS : readFileSync(at, 'latin1'));
    }
  }
  return found;
}

/** Paths of which content, existence or eligibility differs and of which the overlay says nothing. */
export function missed(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, { files, subtrees }: OverlayPaths): readonly string[] {
  const isTold = (one: string): boolean => files.includes(one) || subtrees.some((each) => each === '' || one === each || one.startsWith(`${each}/`));
  return [...new Set([...before.keys(), ...now.keys()])].filter((one) => before.get(one) !== ALWAYS && before.get(one) !== now.get(one) && !isTold(one));
}

/** What the watch tells, after a look. */
export function overlayOf({ watch }: WatchRig) {
  watch.look();
  const { files, subtrees } = watch.overlay();
  return { veto: watch.veto, files: [...files].sort(), subtrees: [...subtrees].sort() };
}
