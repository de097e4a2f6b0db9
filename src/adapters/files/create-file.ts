import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SegmentFileWriter } from '../../core/ports/index.ts';
import { syncDirectorySync } from './sync-directory.ts';

/** What is not whole yet; `sweep` finds those that a crash has left by it. */
export const PARTIAL = '.partial-';

/** A write costs a turn to the kernel: lists and blocks have some bytes to some KiB each. */
const BUFFER_BYTES = 256 * 1024;

/** A file that appears under its name when it is whole and durable, or not at all. Errors of the disk are thrown. */
export function createFile(path: string): SegmentFileWriter {
  const partial = join(dirname(path), `${PARTIAL}${basename(path)}`);
  rmSync(partial, { recursive: true, force: true });
  const fd = openSync(partial, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  const out = buffered(fd);
  let open = true;
  return {
    append: out.append,
    writeHeader(bytes) {
      out.flush();
      writeAll(fd, bytes, 0);
    },
    finish() {
      out.flush();
      fsyncSync(fd);
      closeSync(fd);
      open = false;
      renameSync(partial, path);
      syncDirectorySync(dirname(path));
    },
    discard() {
      if (open) closeSync(fd);
      open = false;
      rmSync(partial, { force: true });
    },
  };
}

/** Writes a file in parts that need not survive a power cut. Whatever lies there gives way: a FIFO would hold the open up. */
export function writeParts(path: string, parts: Iterable<Uint8Array>): void {
  rmSync(path, { recursive: true, force: true });
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    const out = buffered(fd);
    for (const part of parts) out.append(part);
    out.flush();
  } finally {
    closeSync(fd);
  }
}

function buffered(fd: number): { append(bytes: Uint8Array): void; flush(): void } {
  const held = Buffer.allocUnsafe(BUFFER_BYTES);
  let count = 0;
  const flush = (): void => {
    if (count > 0) writeAll(fd, held.subarray(0, count), null);
    count = 0;
  };
  return {
    flush,
    append(bytes) {
      if (count + bytes.length > BUFFER_BYTES) flush();
      if (bytes.length > BUFFER_BYTES) return writeAll(fd, bytes, null);
      held.set(bytes, count);
      count += bytes.length;
    },
  };
}

/** @param position null: behind what was written before */
function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
}
