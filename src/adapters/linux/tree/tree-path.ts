/** Where a directory lies in the tree. Kept as links, so that ten thousand levels do not hold ten thousand whole paths. */
export interface TreePath {
  /** None for the root. */
  readonly parent: TreePath | undefined;
  readonly name: string;
}

export const ROOT: TreePath = { parent: undefined, name: '' };

/** The names from below `top` down to `path`. */
export function namesBelow(top: TreePath, path: TreePath): string[] {
  const names: string[] = [];
  for (let at: TreePath | undefined = path; at !== undefined && at !== top; at = at.parent) names.push(at.name);
  return names.reverse();
}

/** `` for the root, else `a/b/`. */
export function pathOf(path: TreePath): string {
  const names = namesBelow(ROOT, path);
  return names.length === 0 ? '' : `${names.join('/')}/`;
}
