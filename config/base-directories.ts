import path from 'node:path';
import { isReservedName } from '../src/contracts/index.ts';

/** What is wrong with one entry of `[file.base_directories]`. */
export interface BaseDirectoryFault {
  readonly id: string;
  readonly message: string;
}

/**
 * Judges the text of base directories; what lies on the disk is the file executor's business.
 * They must be absolute, written plainly, free of reserved names and must not contain each other:
 * with nested bases one path would have two vaults and two file system checks.
 */
export function baseDirectoryFaults(bases: Readonly<Record<string, string>>): BaseDirectoryFault[] {
  const entries = Object.entries(bases);
  const faults: BaseDirectoryFault[] = [];
  for (const [id, directory] of entries) {
    const message = faultOfPath(directory) ?? faultOfNesting(id, directory, entries);
    if (message !== undefined) faults.push({ id, message });
  }
  return faults;
}

/** Whether `inner` is `outer` or lies below it, by components. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function faultOfPath(directory: string): string | undefined {
  if (!path.posix.isAbsolute(directory)) return 'must be an absolute path';
  if (directory.includes('\0')) return 'must not contain a NUL character';
  if (directory === '/') return 'must not be the root directory';
  if (path.posix.normalize(directory) !== directory || directory.endsWith('/')) {
    return 'must be written plainly: no "." or "..", no double and no closing slash';
  }
  const reserved = directory.split('/').find(isReservedName);
  return reserved === undefined ? undefined : `must not contain the reserved name "${reserved}"`;
}

function faultOfNesting(id: string, directory: string, entries: readonly (readonly [string, string])[]): string | undefined {
  const around = entries.find(([otherId, other]) => otherId !== id && isWithin(directory, other));
  return around === undefined ? undefined : `must not lie in the base directory "${around[0]}" (${around[1]})`;
}
