import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { errnoName, FALLOC_FL_KEEP_SIZE, type Libc, SEEK_DATA, SEEK_HOLE } from '../libc.ts';
import { tellsHoles } from './filesystem-types.ts';
import { nodeCalls } from './node-calls.ts';
import { ok, refusedByErrno } from './refusals.ts';
import { statOpened, toEntry } from './stats.ts';

/** A run of bytes that a file holds; what lies between two runs is a hole, and reads as zeros. Byte offsets, the end excluded. */
export interface DataRange {
  readonly start: number;
  readonly end: number;
}

/** Whether a file may have holes, and its file system can be trusted to tell where. Dense files are told by their stat alone. */
export async function maySparse(fd: number): Promise<boolean> {
  const { size, allocatedBytes } = toEntry(statOpened(fd));
  if (Number(allocatedBytes) >= Number(size)) return false;
  const found = await nodeCalls.statfs(`/proc/self/fd/${fd}`);
  return found.ok && tellsHoles(found.value.type);
}

/** The first run of bytes at or behind `from`; `undefined`: only a hole is left before `size`. A file system that cannot tell has none but data. */
export async function nextData(libc: Libc, fd: number, from: number, size: number): Promise<FsResult<DataRange | undefined>> {
  const start = await libc.lseek(fd, from, SEEK_DATA);
  if (start < 0) {
    const errno = errnoName(start);
    // ENXIO: no data behind it. EINVAL: the file system knows no holes.
    if (errno === 'ENXIO') return ok(undefined);
    return errno === 'EINVAL' ? ok({ start: from, end: size }) : refusedByErrno(errno);
  }
  if (start >= size) return ok(undefined);
  const end = await libc.lseek(fd, start, SEEK_HOLE);
  // ENXIO: it was cut there meanwhile.
  if (end < 0) return errnoName(end) === 'ENXIO' ? ok(undefined) : refusedByErrno(errnoName(end));
  return ok({ start, end: Math.min(Math.max(end, start + 1), size) });
}

/** More runs than these are not reserved: then writing will tell. */
const RESERVED_RANGES = 1024;

/** Asks for the blocks of the data and of no hole, as `reserve` does for a dense file. */
export async function reserveData(libc: Libc, source: number, target: number, size: number): Promise<FsResult<never> | undefined> {
  let at = 0;
  for (let turn = 0; turn < RESERVED_RANGES && at < size; turn++) {
    const found = await nextData(libc, source, at, size);
    if (!found.ok) return found;
    if (found.value === undefined) return undefined;
    const { start, end } = found.value;
    const refusal = await reserve(libc, target, start, end - start);
    if (refusal !== undefined) return refusal;
    at = end;
  }
  return undefined;
}

/**
 * Asks for all blocks at once: a full disk is known before the first byte and not after the first hundred gigabytes.
 * KEEP_SIZE leaves the length alone, so that an interrupted copy never looks complete. Where the file system cannot
 * reserve, writing will tell.
 */
export async function reserve(libc: Libc, target: number, offset: number, length: number): Promise<FsResult<never> | undefined> {
  const result = await libc.fallocate(target, FALLOC_FL_KEEP_SIZE, offset, length);
  if (result >= 0) return undefined;
  const refusal = refusedByErrno(errnoName(result));
  return refusal.refusal === 'no-space' ? refusal : undefined;
}
