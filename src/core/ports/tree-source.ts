/**
 * Takes the regular files of a tree, one directory at a time, in no order. Only for the time of a call: `block` is filled
 * anew afterwards.
 */
export interface TreeVisitor {
  /** The files that follow lie in this directory. `path` answers where, relative to the root: `` or `a/b/`. */
  enter(path: () => string): void;
  /** A regular file; its name is the bytes from `start` up to `end`, which need not be UTF-8. */
  file(block: Uint8Array, start: number, end: number): void;
}

/**
 * How a walk ended. `unavailable`: the root is missing, not a directory, a symbolic link, or closed to this account.
 * `failed`: something below it could not be read. `exhausted`: the system has no descriptors or memory left.
 */
export type TreeEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: 'unavailable' | 'failed' | 'exhausted'; readonly path: string; readonly errno: string };

/**
 * Directory trees of this host. A walk stays on the file system of its root, follows no symbolic link, and is not led
 * astray by whoever changes the tree meanwhile: what vanishes or is replaced counts as never there. Names beginning
 * with `.writ-` are left out, and so are directories whose names are not UTF-8.
 */
export interface TreeSource {
  /** Visits every regular file below the directory at `root`, an absolute path. Blocks the calling thread until it is done. */
  walk(root: string, visitor: TreeVisitor): TreeEnd;
}
