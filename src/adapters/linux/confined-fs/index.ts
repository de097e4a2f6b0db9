import { WritError } from '../../../core/errors.ts';
import type { ConfinedFileSystem, ConfinementLevel } from '../../../core/ports/confined-fs.ts';
import { type Libc, libc as loadLibc } from '../libc.ts';
import { openBase } from './base.ts';
import { createCopier } from './copier.ts';
import { allowedTypes } from './filesystem-types.ts';
import { createOpenat2Resolver, hasOpenat2 } from './openat2.ts';
import type { Resolver } from './resolver.ts';
import { createSharedSync } from './shared-sync.ts';
import type { Toolbox } from './toolbox.ts';
import { createWalkResolver } from './walk.ts';

export { LOCAL_FILESYSTEMS } from './filesystem-types.ts';

export interface ConfinedFileSystemOptions {
  /** `auto`: the kernel resolves if it can, else component by component. */
  readonly level: 'auto' | ConfinementLevel;
  /** Types of file system that a base may lie on, names of `LOCAL_FILESYSTEMS`. */
  readonly allowedFilesystems: readonly string[];
}

const RESOLVERS = { openat2: createOpenat2Resolver, walk: createWalkResolver } satisfies Record<ConfinementLevel, (libc: Libc) => Resolver>;

/**
 * The file system of a Linux host, reachable only beneath base directories (design 5; FE-09, FE-12, FE-22).
 *
 * Needs /proc. Throws WritError PLATFORM_UNSUPPORTED where there is no Linux, or where `openat2` is asked for and the
 * kernel or a sandbox refuses it; INVALID_CONFIG for an unknown type of file system.
 */
export function createConfinedFileSystem({ level, allowedFilesystems }: ConfinedFileSystemOptions): ConfinedFileSystem {
  const allowed = allowedTypes(allowedFilesystems);
  const libc = loadLibc();
  const chosen = chooseLevel(level, libc);
  const tools: Toolbox = { libc, resolver: RESOLVERS[chosen](libc), sharedSync: createSharedSync(), copier: createCopier(libc) };
  return { level: chosen, openBase: (id, path) => openBase(id, path, allowed, tools) };
}

function chooseLevel(level: 'auto' | ConfinementLevel, libc: Libc): ConfinementLevel {
  if (level === 'walk') return 'walk';
  if (hasOpenat2(libc)) return 'openat2';
  if (level === 'auto') return 'walk';
  throw new WritError('PLATFORM_UNSUPPORTED', 'this kernel, or the sandbox around this process, has no openat2; use level auto or walk');
}
