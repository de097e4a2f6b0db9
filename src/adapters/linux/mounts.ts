import { closeSync, openSync, readFileSync } from 'node:fs';
import koffi from 'koffi';
import type { MountWatch } from '../../core/ports/index.ts';

const MOUNTS = '/proc/self/mountinfo';
/** poll(2): urgent data, which for this file means that some mount changed since the last call. */
const POLLPRI = 2;

/**
 * Watches the mounts that concern a directory: those at, above and beneath it. The file is compared only when the kernel
 * says that some mount changed, and only by the lines that concern the directory.
 */
export function openMounts(root: string): MountWatch {
  const fd = openSync(MOUNTS, 'r');
  const poll = bindPoll();
  const entry = Buffer.alloc(8);
  const wasChanged = (): boolean => {
    entry.writeInt32LE(fd, 0);
    entry.writeInt16LE(POLLPRI, 4);
    entry.writeInt16LE(0, 6);
    return poll(entry, 1, 0) !== 0;
  };
  // The order of these: what changes between the two is told by the next call.
  wasChanged();
  const first = mountsConcerning(root);
  let known = first.lines;
  let isOpen = true;
  return {
    changed() {
      if (!isOpen || !wasChanged()) return false;
      const { lines } = mountsConcerning(root);
      const isSame = lines === known;
      known = lines;
      return !isSame;
    },
    beneath: first.beneath,
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** Field of proc_pid_mountinfo(5): the mount point, octal where it holds blanks. */
const MOUNT_POINT = 4;

/** The lines of this process's mounts at, above and beneath a directory, and the mount points beneath it. */
export function mountsConcerning(root: string): { readonly lines: string; readonly beneath: readonly Buffer[] } {
  const own = slashed(Buffer.from(root).toString('latin1'));
  const lines: string[] = [];
  const beneath: Buffer[] = [];
  for (const line of readFileSync(MOUNTS, 'latin1').split('\n')) {
    const point = line.split(' ')[MOUNT_POINT]?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    if (point === undefined) continue;
    const other = slashed(point);
    const isBeneath = other !== own && other.startsWith(own);
    if (isBeneath) beneath.push(Buffer.from(point, 'latin1'));
    if (isBeneath || own.startsWith(other)) lines.push(line);
  }
  return { lines: lines.join('\n'), beneath };
}

const slashed = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

function bindPoll(): (entries: Uint8Array, count: number, timeoutMs: number) => number {
  return koffi.load(null).func('int poll(void *entries, unsigned long count, int timeout)');
}
