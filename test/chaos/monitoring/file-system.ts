import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** More than it has, bytes. */
const MOST = 2 ** 29;
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

/** Takes all room of that file system; removing the file makes it again. */
export function fillUp(filler: string): void {
  writeFileSync(filler, '');
  for (let bytes = 2 ** 20; bytes >= 4096; bytes /= 2) {
    try {
      for (let written = 0; written < MOST; written += bytes) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
      throw new Error(`${filler} does not lie on the small file system`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
