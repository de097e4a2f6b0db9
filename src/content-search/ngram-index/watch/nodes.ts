import type { BytePath } from '../../../core/ports/index.ts';

/** A watched directory at one path. A node never moves: a directory that is renamed gets a new node. */
interface Node {
  readonly path: BytePath;
  readonly watch: number;
  readonly children: Map<string, Node>;
}

/** The paths of each watch. One directory can lie at two paths (a bind mount): its events count for both. */
export interface Nodes {
  readonly size: number;
  /** Places a directory; false where the directory above is unknown, and nothing was placed. Watches that are no longer needed are added to `unused`. */
  place(path: BytePath, watch: number, unused: number[]): boolean;
  pathsOf(watch: number): readonly BytePath[];
  /** Forgets a directory with all beneath it, and returns the watches that are no longer needed. */
  leave(path: BytePath): readonly number[];
}

export function createNodes(): Nodes {
  const byWatch = new Map<number, readonly Node[]>();
  let root: Node | undefined;
  let size = 0;

  const nodeAt = (path: BytePath): Node | undefined => {
    let node = root;
    if (path === '') return node;
    for (const name of path.split('/')) node = node?.children.get(name);
    return node;
  };
  const enter = (node: Node): void => {
    byWatch.set(node.watch, [...(byWatch.get(node.watch) ?? []), node]);
    size += 1;
  };
  const drop = (top: Node, unused: number[]): void => {
    const stack = [top];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      const gone = node;
      const others = (byWatch.get(gone.watch) ?? []).filter((each) => each !== gone);
      if (others.length > 0) byWatch.set(gone.watch, others);
      else if (byWatch.delete(gone.watch)) unused.push(gone.watch);
      size -= 1;
      stack.push(...gone.children.values());
    }
  };

  return {
    get size() {
      return size;
    },
    place(path, watch, unused) {
      const known = nodeAt(path);
      if (known?.watch === watch) return true;
      const parent = path === '' ? undefined : nodeAt(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
      if (path !== '' && parent === undefined) {
        if (!byWatch.has(watch)) unused.push(watch);
        return false;
      }
      const node: Node = { path, watch, children: new Map() };
      enter(node);
      if (known !== undefined) drop(known, unused);
      if (parent === undefined) root = node;
      else parent.children.set(path.slice(path.lastIndexOf('/') + 1), node);
      return true;
    },
    pathsOf: (watch) => (byWatch.get(watch) ?? []).map(({ path }) => path),
    leave(path) {
      const node = nodeAt(path);
      if (node === undefined) return [];
      const unused: number[] = [];
      drop(node, unused);
      if (path === '') root = undefined;
      else nodeAt(path.slice(0, Math.max(0, path.lastIndexOf('/'))))?.children.delete(path.slice(path.lastIndexOf('/') + 1));
      return unused;
    },
  };
}
