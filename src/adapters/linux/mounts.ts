import { closeSync, openSync, readFileSync } from 'node:fs';
import koffi from 'koffi';
import type { MountChange, MountWatch } from '../../core/ports/index.ts';

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
  let known = first;
  let isOpen = true;
  return {
    changed() {
      if (!isOpen || !wasChanged()) return undefined;
      const before = known;
      known = mountsConcerning(root);
      return changeOf(before, known);
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

/** This process's mounts that concern a directory. */
interface Mounts {
  /** Lines of those at, above and beneath it. */
  readonly lines: string;
  /** Mount points beneath it. */
  readonly beneath: readonly Buffer[];
  /** For each line the mount point, where that lies beneath it. */
  readonly points: ReadonlyMap<string, Buffer>;
}

/** The mounts at, above and beneath a directory. */
export function mountsConcerning(root: string): Mounts {
  const own = slashed(Buffer.from(root).toString('latin1'));
  const lines: string[] = [];
  const points = new Map<string, Buffer>();
  for (const line of readFileSync(MOUNTS, 'latin1').split('\n')) {
    const point = line.split(' ')[MOUNT_POINT]?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    if (point === undefined) continue;
    const other = slashed(point);
    const isBeneath = other !== own && other.startsWith(own);
    if (isBeneath) points.set(line, Buffer.from(point, 'latin1'));
    if (isBeneath || own.startsWith(other)) lines.push(line);
  }
  return { lines: lines.join('\n'), beneath: [...points.values()], points };
}

/** Each line has the number of its mount, so no two are the same. */
function changeOf(before: Mounts, now: Mounts): MountChange | undefined {
  if (before.lines === now.lines) return undefined;
  const only = ({ lines }: Mounts, other: Mounts): readonly string[] => {
    const others = new Set(other.lines.split('\n'));
    return lines.split('\n').filter((line) => line !== '' && !others.has(line));
  };
  const gone = only(before, now).map((line) => before.points.get(line));
  const points = [...gone, ...only(now, before).map((line) => now.points.get(line))];
  const beneath = points.filter((point) => point !== undefined);
  return { above: beneath.length < points.length, beneath };
}

const slashed = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

function bindPoll(): (entries: Uint8Array, count: number, timeoutMs: number) => number {
  return koffi.load(null).func('int poll(void *entries, unsigned long count, int timeout)');
}
