/** Where a directory lies in the tree. Kept as links, so that ten thousand levels do not hold ten thousand whole paths. */
export interface Place {
  /** None for the root. */
  readonly parent: Place | undefined;
  readonly name: string;
}

export const ROOT: Place = { parent: undefined, name: '' };

/** The names from below `top` down to `place`. */
export function namesBelow(top: Place, place: Place): string[] {
  const names: string[] = [];
  for (let at: Place | undefined = place; at !== undefined && at !== top; at = at.parent) names.push(at.name);
  return names.reverse();
}

/** `` for the root, else `a/b/`. */
export function pathOf(place: Place): string {
  const names = namesBelow(ROOT, place);
  return names.length === 0 ? '' : `${names.join('/')}/`;
}
