import type { BytePath, SearchTree, TreeEntry, TreeRefusal } from '../../../core/ports/index.ts';

export interface Watcher {
  /** Called before the directory is listed, so that no later change is missed. A directory that is refused is not listed either. */
  add(path: BytePath, directory: Buffer | string): TreeRefusal | undefined;
  /** Told what the list has. */
  listed(path: BytePath, found: readonly TreeEntry[] | TreeRefusal): void;
}

/** A tree in which each directory is watched just before it is listed: a walk over it watches the directories of the walk, and no other. */
export function watching(tree: SearchTree, root: string, { add, listed }: Watcher): SearchTree {
  return {
    ...tree,
    list(directory) {
      const path = relativeTo(root, directory);
      const refused = add(path, directory);
      if (refused !== undefined) return refused;
      const found = tree.list(directory);
      listed(path, found);
      return found;
    },
  };
}

/** The path beneath the root, one character for each byte. */
export function relativeTo(root: string, directory: Buffer | string): BytePath {
  const bytes = typeof directory === 'string' ? Buffer.from(directory, 'utf8') : directory;
  return bytes.toString('latin1', Buffer.byteLength(root)).replace(/^\/+|\/+$/g, '');
}

/** The absolute path of an entry, as bytes. */
export const absolute = (root: string, path: BytePath): Buffer =>
  Buffer.concat([Buffer.from(root.endsWith('/') || path === '' ? root : `${root}/`), Buffer.from(path, 'latin1')]);

/** The bytes of a name of a listed entry. */
export const byteName = ({ name }: TreeEntry): BytePath => (typeof name === 'string' ? Buffer.from(name, 'utf8') : name).toString('latin1');

export const join = (directory: BytePath, name: BytePath): BytePath => (directory === '' || name === '' ? directory + name : `${directory}/${name}`);
