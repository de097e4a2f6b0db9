import { closeSync, constants, fstatSync } from 'node:fs';
import type { Standing } from '../../core/ports/place.ts';
import { mountIdOf } from './confined-fs/mount-id.ts';
import { errnoName, type Libc, libc, O_CLOEXEC, O_PATH } from './libc.ts';

/** What tells one directory or file of this host from every other, as long as somebody holds it open. */
export interface PlaceIdentity {
  readonly dev: string;
  readonly ino: string;
  /** Kernel's id of the mount: the same directory, mounted a second time, has another one. */
  readonly mountId: string;
  readonly isLink: boolean;
  /** When it was made, where the file system knows: tells it from one that was given its inode number later. */
  readonly born: string;
}

const AT_FDCWD = -100;
const AT_EMPTY_PATH = 0x1000;
/** AT_SYMLINK_NOFOLLOW, AT_NO_AUTOMOUNT, AT_STATX_DONT_SYNC: what stands there is told, not fetched. */
const AS_IT_IS = 0x100 | 0x800 | 0x4000;
/** STATX_TYPE, STATX_INO, STATX_BTIME, STATX_MNT_ID. */
const WANTED = 0x0001 | 0x0100 | 0x0800 | 0x1000;
const STATX_MNT_ID = 0x1000;
/** Offsets in `struct statx`. */
const AT = { mask: 0, mode: 28, ino: 32, birthSeconds: 80, birthNanos: 88, devMajor: 136, devMinor: 140, mountId: 144 } as const;
const STATX_BYTES = 256;
const PIN = O_PATH | constants.O_NOFOLLOW | O_CLOEXEC;

const answer = Buffer.alloc(STATX_BYTES);

/** The identity of what an open descriptor holds. Throws where /proc is not mounted and the kernel is older than 5.8. */
export function identityOfOpened(calls: Libc, fd: number): PlaceIdentity {
  const found = byStatx(calls, fd, '', AT_EMPTY_PATH);
  return typeof found === 'object' ? found : byDescriptor(fd);
}

/** The identity of what stands at an absolute path, the name itself not followed; below zero: `-errno`. */
export function identityAtPath(calls: Libc, path: string): PlaceIdentity | number {
  return byStatx(calls, AT_FDCWD, path, AS_IT_IS) ?? byOpening(calls, path);
}

/** Compares what is held with what stands at its path now: 3 µs by statx(2), 30 on kernels older than 5.8. */
export function standingOf(calls: Libc, held: PlaceIdentity, path: string): Standing {
  const found = identityAtPath(calls, path);
  if (typeof found === 'number') {
    const errno = errnoName(found);
    return { same: false, found: errno, why: errno === 'ENOENT' ? 'nothing stands at its path' : `its path cannot be followed (${errno})` };
  }
  const [sameMount, sameInode] = [found.mountId === held.mountId, found.dev === held.dev && found.ino === held.ino];
  if (sameMount && sameInode) return { same: true };
  return { same: false, found: `${found.dev}:${found.ino}:${found.mountId}`, why: whatElse(found, sameMount) };
}

/**
 * What stands at an absolute path, as text, for whoever holds nothing: equal texts mean the same directory. Empty where this
 * is no Linux.
 */
export function viewOfPath(path: string): string {
  if (process.platform !== 'linux') return '';
  const found = identityAtPath(libc(), path);
  return typeof found === 'number' ? errnoName(found) : [found.dev, found.ino, found.mountId, found.born].join(':');
}

function whatElse({ isLink }: PlaceIdentity, sameMount: boolean): string {
  if (isLink) return 'a symbolic link stands at its path';
  return sameMount ? 'something else stands at its path' : 'its path leads to another mount';
}

/** `undefined`: this kernel, or the sandbox around this process, has no statx(2) that tells mounts. */
function byStatx(calls: Libc, at: number, path: string, flags: number): PlaceIdentity | number | undefined {
  const result = calls.statxSync(at, path, flags, WANTED, answer);
  if (result < 0) return UNABLE.has(errnoName(result)) ? undefined : result;
  if ((answer.readUInt32LE(AT.mask) & STATX_MNT_ID) === 0) return undefined;
  return {
    dev: `${answer.readUInt32LE(AT.devMajor)}:${answer.readUInt32LE(AT.devMinor)}`,
    ino: String(answer.readBigUInt64LE(AT.ino)),
    mountId: String(answer.readBigUInt64LE(AT.mountId)),
    isLink: (answer.readUInt16LE(AT.mode) & constants.S_IFMT) === constants.S_IFLNK,
    born: `${answer.readBigInt64LE(AT.birthSeconds)}.${answer.readUInt32LE(AT.birthNanos)}`,
  };
}

/** ENOSYS: no such call. EPERM: a container runtime that does not know it. EINVAL: flags of a newer kernel. */
const UNABLE: ReadonlySet<string> = new Set(['ENOSYS', 'EPERM', 'EINVAL']);

function byOpening(calls: Libc, path: string): PlaceIdentity | number {
  const fd = calls.openatSync(AT_FDCWD, path, PIN);
  if (fd < 0) return fd;
  try {
    return byDescriptor(fd);
  } finally {
    closeSync(fd);
  }
}

function byDescriptor(fd: number): PlaceIdentity {
  const stats = fstatSync(fd, { bigint: true });
  return { dev: String(stats.dev), ino: String(stats.ino), mountId: mountIdOf(fd), isLink: stats.isSymbolicLink(), born: '' };
}
