import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

/** A file system with very little room. */
export interface TinyFileSystem {
  readonly directory: string;
  unmount(): void;
}

/** Room of it, bytes. */
export const TINY_BYTES = 1024 * 1024;

/** @throws Error with the command to run where mounting is not permitted */
export function mountTiny(directory: string): TinyFileSystem {
  mkdirSync(directory, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${TINY_BYTES},mode=0755`, 'writ-chaos', directory], { encoding: 'utf8' });
  if (mounted.status !== 0) {
    throw new Error(`a tmpfs cannot be mounted (${mounted.stderr.trim()}): run as root, or as "unshare -Urm npm test"`);
  }
  return { directory, unmount: () => void spawnSync('umount', ['-l', directory]) };
}
