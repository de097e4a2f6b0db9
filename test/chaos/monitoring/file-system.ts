import { spawnSync } from 'node:child_process';

/** Enough for the data directory of this suite, bytes and names. */
const OPTIONS = 'size=256m,nr_inodes=3000,mode=0700';

/**
 * Mounts a file system of its own on an empty directory.
 *
 * @returns what takes it away
 * @throws Error with the command to run where mounting is not permitted
 */
export function mountSmall(directory: string): () => void {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', OPTIONS, 'writ-monitoring', directory], { encoding: 'utf8' });
  if (mounted.status !== 0)
    throw new Error(`a tmpfs cannot be mounted (${mounted.stderr.trim()}): run as root, or as "unshare -Urm npm run test:long -- monitoring"`);
  return () => void spawnSync('umount', ['-l', directory]);
}
