import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

export interface SmallDisk {
  readonly directory: string;
  unmount(): void;
}

export interface SmallDiskOptions {
  readonly bytes: number;
  /** Files and directories that it has room for; as many as it likes unless given. */
  readonly names?: number;
  /** How to run these tests where this one may not mount. */
  readonly command: string;
}

/**
 * A file system of its own with little room, on a directory that is empty or not there.
 *
 * @throws Error with the command to run where mounting is not permitted
 */
export function mountSmallDisk(directory: string, { bytes, names, command }: SmallDiskOptions): SmallDisk {
  mkdirSync(directory, { recursive: true });
  const options = [`size=${bytes}`, 'mode=0700', ...(names === undefined ? [] : [`nr_inodes=${names}`])].join(',');
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'writ-test', directory], { encoding: 'utf8' });
  if (mounted.status !== 0) throw new Error(`a tmpfs cannot be mounted (${mounted.stderr.trim()}): run as root, or as "unshare -Urm ${command}"`);
  return { directory, unmount: () => void spawnSync('umount', ['-l', directory]) };
}

/** More than a small disk has, bytes. */
const MOST = 2 ** 29;

/** Takes all room of a small disk but what happens to be in other files already; removing the file makes it again. */
export function fillDisk(filler: string): void {
  writeFileSync(filler, '');
  for (let bytes = 2 ** 20; bytes >= 4096; bytes /= 2) {
    try {
      for (let written = 0; written < MOST; written += bytes) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
      throw new Error(`${filler} does not lie on a small disk`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
