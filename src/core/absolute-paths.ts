import { VAULT_DIRECTORY } from '../contracts/index.ts';

/**
 * The components of an absolute path after normalization (`//` and `/./` collapse).
 *
 * @returns undefined for a path that is relative, climbs (`..`) or contains NUL
 */
export function components(path: unknown): readonly string[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0')) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts;
}

/** Whether `path` lies below `directory`, compared component by component: `/data2/x` is not below `/data`. */
export function isBelow(path: unknown, directory: unknown): boolean {
  const [inner, outer] = [components(path), components(directory)];
  return inner !== undefined && outer !== undefined && inner.length > outer.length && outer.every((part, index) => part === inner[index]);
}

export function isSamePath(a: unknown, b: unknown): boolean {
  const [left, right] = [components(a), components(b)];
  return left !== undefined && left.join('/') === right?.join('/');
}

export function isInVault(path: unknown): boolean {
  return components(path)?.includes(VAULT_DIRECTORY) ?? false;
}
