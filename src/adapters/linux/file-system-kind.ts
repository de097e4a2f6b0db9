import { statfsSync } from 'node:fs';

/** `f_type` of statfs(2) of file systems on which each change goes through this kernel, and so is told by inotify (search-rules 11). */
const WATCHABLE: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
]);

/** Whether inotify tells every change here. No for what is unknown or cannot be asked: overlay, network and FUSE file systems change behind the kernel's back. */
export function isWatchable(path: Buffer | string): boolean {
  try {
    return WATCHABLE.has(statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}
