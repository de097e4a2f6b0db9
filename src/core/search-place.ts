/**
 * Whether the path of a content search lies in a scope, both as they are written: the same directory or one below it,
 * component by component, both absolute or both relative. Nobody resolves anything here; a path with `..` lies in no
 * scope, and neither does a search without a path, which is one of everything.
 */
export function isSearchPlaceIn(path: unknown, scope: unknown): boolean {
  const [inner, outer] = [placeOf(path), placeOf(scope)];
  if (inner === undefined || outer === undefined || inner.absolute !== outer.absolute) return false;
  return outer.parts.every((part, at) => part === inner.parts[at]);
}

function placeOf(path: unknown): { readonly absolute: boolean; readonly parts: readonly string[] } | undefined {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : { absolute: path.startsWith('/'), parts };
}
