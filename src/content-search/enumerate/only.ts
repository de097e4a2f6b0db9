import type { OverlayPaths, SearchTree, TreeEntry } from '../../core/ports/index.ts';
import { IGNORE_FILES } from './directory-rules.ts';

/**
 * A part of a tree: these files, these directories with everything beneath them, and the way to them. The walk over it says
 * of each of these paths what the walk over the whole tree would say, in the same order, with the same warnings, because it
 * is the same walk; it reads only the directories on the way. Ignore files on the way are listed too, for their rules hold.
 *
 * @param root absolute; the paths are relative to it
 */
export function only(tree: SearchTree, root: string, { files, subtrees }: OverlayPaths): SearchTree {
  const wanted = trie(files, subtrees);
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return {
    ...tree,
    list(directory) {
      const node = nodeAt(wanted, byteText(directory), prefix);
      if (node === ALL) return tree.list(directory);
      if (node === undefined) return [];
      const found = tree.list(directory);
      return 'refused' in found ? found : found.filter((entry) => isWanted(entry, node));
    },
  };
}

/** The names on the way, each as bytes; a file leads to an empty node, a subtree to ALL. */
type Node = Map<string, Node | typeof ALL>;
const ALL = Symbol('everything beneath');

function trie(files: readonly string[], subtrees: readonly string[]): Node | typeof ALL {
  const top: Node = new Map();
  if (subtrees.includes('')) return ALL;
  for (const path of subtrees) grow(top, path, () => ALL);
  for (const path of files) grow(top, path, () => new Map());
  return top;
}

function grow(top: Node, path: string, end: () => Node | typeof ALL): void {
  const names = path.split('/');
  let node = top;
  for (const [at, name] of names.entries()) {
    const known = node.get(name);
    if (known === ALL) return;
    if (at === names.length - 1) {
      const leaf = end();
      if (known === undefined || leaf === ALL) node.set(name, leaf);
      return;
    }
    const next = known ?? new Map<string, Node | typeof ALL>();
    node.set(name, next);
    node = next;
  }
}

function nodeAt(wanted: Node | typeof ALL, directory: string, prefix: string): Node | typeof ALL | undefined {
  let node: Node | typeof ALL | undefined = wanted;
  const relative = directory.startsWith(prefix) ? directory.slice(prefix.length) : '';
  for (const name of relative.split('/').filter((each) => each !== '')) {
    if (node === ALL || node === undefined) return node;
    node = node.get(name);
  }
  return node;
}

function isWanted({ name, kind }: TreeEntry, node: Node): boolean {
  if (node.has(byteText(name))) return true;
  return kind === 'file' && typeof name === 'string' && (IGNORE_FILES as readonly string[]).includes(name);
}

/** One character for each byte. */
function byteText(text: Buffer | string): string {
  return (typeof text === 'string' ? Buffer.from(text, 'utf8') : text).toString('latin1');
}
