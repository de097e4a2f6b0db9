/** One directory of a tree, only for the time of a call. */
export interface TreeDirectory {
  /** Where it lies relative to the root: empty for the root, else `a/b/`. */
  path(): string;
  /** The text of a name; `undefined` when its bytes are not UTF-8. */
  textOf(block: Uint8Array, start: number, end: number): string | undefined;
}

/** Takes the regular files of a tree, in no order. `block` is filled anew after the call. */
export interface TreeVisitor {
  /** The files that follow lie in this directory. */
  enter(directory: TreeDirectory): void;
  /** A regular file: its name is the bytes from `start` up to `end`, which need not be UTF-8. */
  file(block: Uint8Array, start: number, end: number): void;
}

/**
 * How a walk ended. `unavailable`: the root is missing, not a directory, a symbolic link, or closed to this account.
 * `failed`: something below it could not be read. `exhausted`: the system has no descriptors or memory left. `path` is
 * relative to the root, `.` for the root itself.
 */
export type TreeEnd =
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: 'unavailable' | 'failed' | 'exhausted'; readonly path: string; readonly errno: string };

/**
 * Directory trees of this host. A walk stays on the file system of its root, follows no symbolic link, and is not led
 * astray by whoever changes the tree meanwhile: what vanishes or is replaced counts as never there, and a name that is
 * removed and made again may be visited twice. Names beginning with `.writ-` are left out, and so are directories whose
 * names are not UTF-8.
 */
export interface TreeSource {
  /** Visits every regular file below the directory at `root`, an absolute path. Blocks the calling thread until it is done. */
  walk(root: string, visitor: TreeVisitor): TreeEnd;
}
