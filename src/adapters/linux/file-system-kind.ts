import { statfsSync } from 'node:fs';
import type { FreshnessGuarantee } from '../../core/ports/index.ts';

/** `f_type` of statfs(2) of file systems on which each change goes through this kernel, and so is told by inotify (search-rules 11). */
const WATCHABLE: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
]);

/** Those of this host on which not every change is an event, but stat(2) tells the truth: nobody else keeps what it answers. */
const LOCAL: ReadonlySet<number> = new Set([
  0x794c7630, // overlay
  0x61756673, // aufs
  0xca451a4e, // bcachefs
  0x858458f6, // ramfs
  0x3153464a, // jfs
  0x52654973, // reiserfs
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
  0x73717368, // squashfs
  0xe0f5e1e2, // erofs
  0x15013346, // udf
  0x9660, // iso9660
]);

/**
 * How fresh an index of files here can be known to be. Of what is unknown, remote, or behind FUSE nothing is known: there even
 * stat(2) may answer what was true a moment ago, while a read already sees the new contents.
 */
export function freshnessOn(path: Buffer | string): FreshnessGuarantee {
  if (process.platform !== 'linux') return 'stat';
  try {
    const kind = statfsSync(path).type >>> 0;
    if (WATCHABLE.has(kind)) return 'inotify';
    return LOCAL.has(kind) ? 'stat' : 'none';
  } catch (error) {
    // A mount that no path leads to any more, because another covers it: no walk gets there either.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'stat' : 'none';
  }
}
