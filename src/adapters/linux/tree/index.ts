import type { ConfinementLevel } from '../../../core/ports/confined-fs.ts';
import type { TreeSource } from '../../../core/ports/tree-source.ts';
import { hasOpenat2 } from '../confined-fs/openat2.ts';
import { type Libc, libc as loadLibc } from '../libc.ts';
import { unavailable } from './end.ts';
import { fileSystemOf, OPENERS, openRoot } from './opener.ts';
import { walkTree } from './walk.ts';

export interface TreeSourceOptions {
  /** `auto`: the kernel keeps the confinement if it can, else name by name. */
  readonly level?: 'auto' | ConfinementLevel;
  readonly libc?: Libc;
}

/**
 * The directory trees of a Linux host, read by `getdents64` into one buffer on the calling thread: for a process that
 * has nothing else to do (design 6; SE-37 to SE-39). Holds at most some 130 descriptors and no open file.
 *
 * Needs /proc. Throws WritError PLATFORM_UNSUPPORTED where there is no Linux.
 */
export function createTreeSource({ level = 'auto', libc = loadLibc() }: TreeSourceOptions = {}): TreeSource {
  const chosen = level === 'auto' ? (hasOpenat2(libc) ? 'openat2' : 'walk') : level;
  return {
    walk(path, visitor) {
      const root = openRoot(libc, path);
      return root < 0 ? unavailable(root) : walkTree(libc, OPENERS[chosen](libc, fileSystemOf(root)), root, visitor);
    },
  };
}
