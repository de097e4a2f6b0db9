import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import type { FileRefusal, TreeFileRead, TreeFileStat, TreeFiles } from '../../../core/ports/index.ts';

/** Not on every platform; where they are not, neither are the links and FIFOs that they are for. */
const READ_AS_IS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const NO_BYTES = Buffer.alloc(0);

/** The files of a tree on this host, for the builder of an index. All reads share one buffer: one of these for each thread. */
export function nodeTreeFiles(): TreeFiles {
  let buffer: Buffer = Buffer.allocUnsafeSlow(64 * 1024);

  /** Room for one byte more than the file has: that it does not come shows that the file did not grow. */
  function roomFor(size: number): Buffer {
    if (buffer.length <= size) buffer = Buffer.allocUnsafeSlow(Math.max(size + 1, 2 * buffer.length));
    return buffer;
  }

  function readOpen(fd: number, maxBytes: number): TreeFileRead | FileRefusal {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { refused: 'EINVAL' };
    const stat = statOf(before);
    if (stat.size > maxBytes) return { bytes: NO_BYTES, stat, stable: true };
    const into = roomFor(stat.size);
    let length = 0;
    for (let read = -1; read !== 0 && length <= stat.size; length += read) read = readSync(fd, into, length, stat.size + 1 - length, null);
    const bytes = into.subarray(0, Math.min(length, stat.size));
    return { bytes, stat, stable: length === stat.size && isSame(stat, statOf(fstatSync(fd, { bigint: true }))) };
  }

  /** Of a file that grows meanwhile no more is read than it had: it is not stable then. */
  function readOpenWindows(fd: number, windowBytes: number, take: Take): ReturnType<TreeFiles['readWindows']> {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return { refused: 'EINVAL' };
    const stat = statOf(before);
    const window = roomFor(windowBytes - 1).subarray(0, windowBytes);
    let [held, bytesRead, isWhole] = [0, 0, stat.size > 0];
    while (bytesRead < stat.size || held > 0) {
      const wanted = Math.min(windowBytes - held, stat.size - bytesRead);
      const read = wanted === 0 ? 0 : readSync(fd, window, held, wanted, null);
      held += read;
      bytesRead += read;
      if (read < wanted && read > 0) continue;
      const isLast = bytesRead === stat.size || read === 0;
      const done = take(window.subarray(0, held), isLast);
      isWhole = done !== undefined && bytesRead === stat.size;
      if (done === undefined || isLast) break;
      window.copyWithin(0, done, held);
      held -= done;
    }
    return { stat, bytesRead, isWhole, stable: isWhole && isSame(stat, statOf(fstatSync(fd, { bigint: true }))) };
  }

  function opened<T>(path: Buffer | string, work: (fd: number) => T | FileRefusal): T | FileRefusal {
    let fd: number | undefined;
    try {
      fd = openSync(path, READ_AS_IS);
      return work(fd);
    } catch (error) {
      return refusalOf(error);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  return {
    read: (path, maxBytes) => opened(path, (fd) => readOpen(fd, maxBytes)),
    readWindows: (path, windowBytes, take) => opened(path, (fd) => readOpenWindows(fd, windowBytes, take)),
    stat(path) {
      try {
        const stat = lstatSync(path, { bigint: true });
        return stat.isFile() ? statOf(stat) : { refused: 'EINVAL' };
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

type Take = Parameters<TreeFiles['readWindows']>[2];

interface BigStat {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly nlink: bigint;
  readonly mode: bigint;
}

function statOf({ size, mtimeNs, ctimeNs, ino, dev, nlink, mode }: BigStat): TreeFileStat {
  // Node gives numbers with a sign; inodes and devices have none.
  return {
    size: Number(size),
    mtimeNs,
    ctimeNs,
    ino: BigInt.asUintN(64, ino),
    dev: BigInt.asUintN(64, dev),
    links: Number(nlink),
    ownerMayRead: (mode & OWNER_READ) !== 0n,
  };
}

const OWNER_READ = BigInt(constants.S_IRUSR ?? 0o400);

function isSame(a: TreeFileStat, b: TreeFileStat): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino && a.dev === b.dev && a.links === b.links;
}

function refusalOf(error: unknown): FileRefusal {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return { refused: error.code };
  throw error;
}
