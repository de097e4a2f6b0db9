import { closeSync, openSync, readSync } from 'node:fs';

const buffer = Buffer.alloc(512);
const MOUNT_ID = /^mnt_id:\s*(\d+)$/m;

/**
 * The kernel's id of the mount that an open descriptor lies on: a bind mount of the same file system has the same
 * device number and another id. Throws where /proc is not mounted.
 */
export function mountIdOf(fd: number): string {
  // By hand and into one buffer: readFileSync takes three times as long. /proc never waits for a disk.
  const info = openSync(`/proc/self/fdinfo/${fd}`, 'r');
  try {
    const text = buffer.toString('latin1', 0, readSync(info, buffer));
    const id = MOUNT_ID.exec(text)?.[1];
    if (id === undefined) throw new Error(`no mnt_id in /proc/self/fdinfo/${fd}`);
    return id;
  } finally {
    closeSync(info);
  }
}
