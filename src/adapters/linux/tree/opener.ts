import { closeSync, constants, fstatSync, type Stats } from 'node:fs';
import type { ConfinementLevel } from '../../../core/ports/confined-fs.ts';
import { mountIdOf } from '../confined-fs/mount-id.ts';
import { type Libc, O_CLOEXEC, O_PATH, openHow } from '../libc.ts';

/** Opens what lies below an open directory, on the root's file system and without following anything. Below zero: `-errno`. */
export interface Opener {
  /** The directory at `names`, at least one, below `at`. */
  directory(at: number, names: readonly string[]): number;
  /** What has this name in `at`, as O_PATH: neither a FIFO nor a device notices. */
  pin(at: number, name: string): number;
}

/** What is told apart of a root, so that nothing of another file system is taken for a part of it. */
export interface FileSystemIdentity {
  readonly dev: number;
  readonly mountId: string;
}

export function fileSystemOf(root: number): FileSystemIdentity {
  return { dev: fstatSync(root).dev, mountId: mountIdOf(root) };
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_CLOEXEC;
const PIN = O_PATH | constants.O_NOFOLLOW | O_CLOEXEC;
/** RESOLVE_NO_XDEV, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH. */
const CONFINED = 0x01 | 0x02 | 0x04 | 0x08;
/** As many names as always fit into PATH_MAX. */
const NAMES_PER_CALL = 15;
const EXDEV = -18;
const AT_FDCWD = -100;

export const OPENERS = { openat2: openat2Opener, walk: walkOpener } satisfies Record<ConfinementLevel, (libc: Libc, ground: FileSystemIdentity) => Opener>;

/** Opens the root itself; links above it are the operator's and are followed, as for the base directories of the file executor. */
export function openRoot(libc: Libc, path: string): number {
  return libc.openatSync(AT_FDCWD, path, DIRECTORY);
}

/** The kernel keeps the confinement. It answers EAGAIN for `..` only, which no name of ours is. */
function openat2Opener(libc: Libc, { dev }: FileSystemIdentity): Opener {
  const directory = openHow(DIRECTORY, CONFINED);
  const pin = openHow(PIN, CONFINED);
  return {
    directory: (at, names) => inSteps(at, names, NAMES_PER_CALL, (from, some) => onDevice(libc.openat2Sync(from, some.join('/'), directory), dev)),
    pin: (at, name) => libc.openat2Sync(at, name, pin),
  };
}

/** For kernels and sandboxes without openat2: one name at a time, and a look at the mount that was reached. */
function walkOpener(libc: Libc, { dev, mountId }: FileSystemIdentity): Opener {
  const sameMount = (fd: number): number => (fd < 0 || mountIdOf(fd) === mountId ? fd : closed(fd, EXDEV));
  const open = (at: number, [name = '.']: readonly string[]): number => sameMount(onDevice(libc.openatSync(at, name, DIRECTORY), dev));
  return {
    directory: (at, names) => inSteps(at, names, 1, open),
    pin: (at, name) => sameMount(libc.openatSync(at, name, PIN)),
  };
}

/** Opens a long way piece by piece, each from the last. `at` stays open. */
function inSteps(at: number, names: readonly string[], step: number, open: (at: number, names: readonly string[]) => number): number {
  if (names.length <= step) return open(at, names);
  let current = at;
  for (let i = 0; i < names.length; i += step) {
    const next = open(current, names.slice(i, i + step));
    if (current !== at) closeSync(current);
    if (next < 0) return next;
    current = next;
  }
  return current;
}

/** A btrfs subvolume is no mount point, and yet another file system to whoever counts devices. */
function onDevice(fd: number, dev: number): number {
  return fd < 0 || fstatSync(fd).dev === dev ? fd : closed(fd, EXDEV);
}

function closed(fd: number, result: number): number {
  closeSync(fd);
  return result;
}

/** The type of a pinned entry, closed here. */
export function typeOfPinned(pin: number): 'file' | 'directory' | 'other' {
  const stats: Stats = fstatSync(pin);
  closeSync(pin);
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}
